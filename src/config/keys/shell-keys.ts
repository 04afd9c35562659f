import { list, text } from '../kinds/collection-kinds.ts'
import { boolean, choice, integer, number } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

const times = choice(['after', 'before', 'both'])

/** A question before the run and one about its changes show different things, so neither is tighter than the other. */
const askTimes: typeof times = {
  ...times,
  tighten: (base, proposed) =>
    proposed === 'after' && base !== 'after'
      ? { value: base, refused: proposed }
      : { value: proposed === base ? base : 'both' },
}

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
  // A self-test that runs out of time leaves commands with less confinement, so a project does not set it.
  'tools.shell.probe_seconds': key(number({ min: 1, max: 600, tighter: 'never' }), {
    default: 15,
    unit: 'seconds',
    description:
      'How long one try of the sandbox, or of layers, may take; if twice that is not enough, no commands run for a minute.',
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

/** How the changes of commands are kept apart from the workspace until they land. */
export const layerKeys = {
  'tools.shell.layer': key(choice(['off', 'auto', 'require']), {
    default: 'auto',
    description:
      'Whether commands work on a layer over the workspace, so that what they change lands as one edit: `auto` uses an overlay, else a copy, else none; with `require` no command runs without one; `off` lets commands change the workspace directly.',
  }),
  'tools.shell.ask': key(askTimes, {
    default: 'after',
    strict: 'before',
    description:
      'When a person is asked about a command that stays inside sandbox and layer: `before` it runs, and that yes covers what it changes; `after`, about what it changed, if anything; or `both`. A file that may only tighten adds its question, so `before` in it means `both` where `after` is in force. Without a layer, with access beyond the sandbox, and for `run_command` it is always `before`.',
  }),
  'tools.shell.on_stop': key(choice(['keep', 'discard']), {
    default: 'discard',
    description: 'What happens to the changes of a command that timed out or was cancelled.',
  }),
  'tools.shell.on_denied': key(choice(['leave_out', 'refuse']), {
    default: 'leave_out',
    description:
      'What happens if a command changed a denied name: the rest lands without it, or nothing lands. A change that would be lost that way, or that touches a denied file which exists, is always refused whole.',
  }),
  'tools.shell.passthrough': key(list({ tighter: 'subset', arePaths: true }), {
    default: [],
    description:
      'Folders, relative to the root, that commands write directly instead of on their layer; nothing there is undone, and such commands are asked about before they run.',
  }),
  'tools.shell.throwaway': key(list({ tighter: 'never' }), {
    default: [
      '**/__pycache__',
      '**/.pytest_cache',
      '**/.mypy_cache',
      '**/.ruff_cache',
      '**/node_modules/.cache',
      '**/node_modules/.vite',
      '**/node_modules/.vite-temp',
      '**/node_modules/.vitest',
      '**/.vite',
      '**/.eslintcache',
      '**/.nyc_output',
      '**/.turbo',
      '**/.parcel-cache',
      '**/*.tsbuildinfo',
    ],
    description: 'Names whose changes never land, as globs: caches that only the command itself needs.',
  }),
  'tools.shell.background.max': key(integer({ min: 0, max: 64, tighter: 'lower' }), {
    default: 4,
    description:
      'How many commands may run in the background at a time, in all sessions of one process; 0 allows none.',
  }),
  'tools.shell.background.max_seconds': key(integer({ min: 1, max: 2_000_000, tighter: 'lower' }), {
    default: 14_400,
    unit: 'seconds',
    description: 'How long a command in the background may run before it is stopped.',
  }),
  'tools.shell.caches': key(choice(['layer', 'read', 'none']), {
    default: 'read',
    description:
      'Whether commands get your caches of npm, pip, cargo and go: to `read`; on a `layer` of their own, which is thrown away afterwards; or `none`. A command with network always gets that layer, because it stores what it downloads. What commands write never gets into them.',
  }),
  'tools.shell.layer_dir': key(text({ isOptional: true }), {
    default: '',
    description:
      'An absolute folder for layers, on the file system of the root; if empty, the state folder, or else a folder beside the root.',
  }),
  'tools.shell.layer_max_bytes': key(integer({ min: 1, max: 1024 ** 5, tighter: 'lower' }), {
    default: 4 * 1024 ** 3,
    unit: 'bytes',
    description: 'How much one command may change on its layer; beyond that it is stopped and nothing lands.',
  }),
  // A smaller one takes the layer away, a larger one fills the disk: neither is for a project to say.
  'tools.shell.layer_copy_max_bytes': key(integer({ min: 0, max: 1024 ** 5, tighter: 'never' }), {
    default: 256 * 1024 ** 2,
    unit: 'bytes',
    description:
      'How large a workspace may be to be copied for each command where no overlay can be mounted; a larger one has no layer.',
  }),
  'tools.shell.layer_max_files': key(integer({ min: 1, max: 100_000_000, tighter: 'lower' }), {
    default: 200_000,
    description:
      'How many files one command may change on its layer; beyond that it is stopped and nothing lands.',
  }),
} as const
