import { text } from '../kinds/collection-kinds.ts'
import { boolean, choice, integer, number } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

const limit = (max: number) => integer({ min: 0, max, tighter: 'lower', isZeroUnlimited: true })

/** What one command may use, what it can be granted, and what happens to its output. */
export const shellKeys = {
  'tools.shell.external_label': key(text(), {
    default: 'as configured',
    description:
      'What sandboxes the whole process if `tools.shell.sandbox` is `external`, in your words; prompts, results and the audit trail repeat it.',
  }),
  'tools.shell.network': key(choice(['ask', 'never']), {
    default: 'ask',
    ids: ['F-SAFE-NET'],
    description:
      'Whether a call may ask for network for its command; a person is asked about each such call.',
  }),
  'tools.shell.paths': key(choice(['ask', 'never']), {
    default: 'ask',
    description:
      'Whether a call may ask for further paths for its command, to read or to write; a person is asked about each such call.',
  }),
  'tools.shell.limits.cpu_seconds': key(limit(86_400), {
    default: 3_600,
    unit: 'seconds',
    ids: ['F-CUSTOM'],
    description: 'The processor time that each process of a command may use; 0 is no limit.',
  }),
  'tools.shell.limits.memory_bytes': key(limit(1024 ** 5), {
    default: 8 * 1024 ** 3,
    unit: 'bytes',
    ids: ['F-CUSTOM'],
    description:
      'The memory that a command may use, as a whole if control groups are available, else per process; 0 is no limit.',
  }),
  'tools.shell.limits.processes': key(limit(4_194_304), {
    default: 4_096,
    ids: ['F-CUSTOM'],
    description:
      'How many processes and threads a command may have at a time; 0 is no limit. Without control groups it does nothing for root.',
  }),
  'tools.shell.limits.file_bytes': key(limit(1024 ** 5), {
    default: 8 * 1024 ** 3,
    unit: 'bytes',
    ids: ['F-CUSTOM'],
    description: 'The largest file that a command may write; 0 is no limit.',
  }),
  'tools.shell.limits.scratch_bytes': key(limit(1024 ** 5), {
    default: 2 * 1024 ** 3,
    unit: 'bytes',
    description:
      'How much each scratch folder of a sandboxed command, such as `/tmp`, may hold; 0 is no limit.',
  }),
  'tools.shell.grace_seconds': key(number({ min: 0, max: 60, tighter: 'lower' }), {
    default: 0.4,
    unit: 'seconds',
    description: 'How long a command has to exit after it is told to stop, before it is killed.',
  }),
  'tools.shell.probe_seconds': key(number({ min: 1, max: 600, tighter: 'lower' }), {
    default: 15,
    unit: 'seconds',
    description: 'How long the self-test of a sandbox may take; if it fails, no commands run.',
  }),
  'tools.output.spill': key(boolean('false'), {
    default: true,
    ids: ['F-TOOL-run_shell'],
    description:
      'Whether command output that is too long to show is stored in full next to the journal, for `read_file` to page through.',
  }),
  'tools.output.spill_max_bytes': key(integer({ min: 1, max: 1024 ** 4, tighter: 'lower' }), {
    default: 8 * 1024 ** 2,
    unit: 'bytes',
    ids: ['F-CUSTOM'],
    description: 'How much of the output of one command is stored this way.',
  }),
} as const
