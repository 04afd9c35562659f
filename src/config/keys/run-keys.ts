import { list, text } from '../kinds/collection-kinds.ts'
import { boolean, choice, integer, number } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

const timeout = number({ min: 0.001, max: 604_800, tighter: 'lower' })

/** Processes and what confines them, time, output, the journal and telemetry. */
export const runKeys = {
  'tools.run_command.enabled': key(boolean('false'), {
    default: false,
    ids: ['NFR-SEC-06', 'FR-TOOL-CMD-01'],
    description:
      'Whether `run_command` is available; enabling it also removes it from the built-in denylist, but not from a denylist in a file.',
  }),
  'tools.run_shell.enabled': key(boolean('false'), {
    default: true,
    strict: false,
    ids: ['F-TOOL-run_shell'],
    description: 'Whether `run_shell` may be called.',
  }),
  'tools.run_tests.enabled': key(boolean('false'), {
    default: true,
    strict: false,
    ids: ['F-TOOL-run_tests'],
    description: 'Whether `run_tests` may be called.',
  }),
  'tools.run_tests.command': key(list({ tighter: 'never', isSequence: true }), {
    default: [],
    ids: ['F-TOOL-run_tests'],
    description:
      'The program and arguments that run the tests, with `{selector}` where a selector goes; empty to detect them from the project.',
  }),
  'tools.run_tests.runner': key(
    choice([
      'auto',
      'vitest',
      'jest',
      'mocha',
      'ava',
      'tap',
      'tape',
      'uvu',
      'node',
      'bun',
      'pytest',
      'unittest',
      'go',
      'cargo',
      'ert',
      'script',
      'make',
    ]),
    {
      default: 'auto',
      ids: ['F-TOOL-run_tests'],
      description:
        'Which runner the tests are for, and so how its report is read; `auto` detects it from the project or the command.',
    },
  ),
  'tools.run_tests.max_output_bytes': key(integer({ min: 4_096, max: 1024 ** 3, tighter: 'lower' }), {
    default: 4_194_304,
    unit: 'bytes',
    ids: ['F-TOOL-run_tests', 'F-CUSTOM'],
    description:
      "How much of a test runner's output is kept for reading its report, half from the beginning and half from the end.",
  }),
  'tools.run_tests.max_report_bytes': key(integer({ min: 256, max: 1024 ** 3, tighter: 'lower' }), {
    default: 8_192,
    unit: 'bytes',
    ids: ['F-TOOL-run_tests', 'F-CUSTOM'],
    description: 'How long the report of `run_tests` may be.',
  }),
  'tools.run_tests.max_failures': key(integer({ min: 1, max: 100_000, tighter: 'lower' }), {
    default: 50,
    unit: 'entries',
    ids: ['F-TOOL-run_tests', 'F-CUSTOM'],
    description: 'How many failed tests `run_tests` describes one by one.',
  }),
  'tools.shell.sandbox': key(choice(['none', 'external', 'auto']), {
    default: 'auto',
    ids: ['F-SAFE-NET'],
    description:
      'What confines commands: nothing, an external sandbox around the whole process that you are responsible for, or the best sandbox that passes its self-test here (if none does, no commands run).',
  }),
  'tools.shell.read': key(list({ tighter: 'subset', arePaths: true }), {
    default: [],
    description: 'Further paths that a sandboxed command may read.',
  }),
  'tools.timeouts.default_seconds': key(timeout, {
    default: 30,
    unit: 'seconds',
    ids: ['CFG-TMO-01', 'FR-EXE-03', 'P-CFG'],
    description: 'How long a call may take if its tool sets no other limit.',
  }),
  'tools.timeouts.file_operations_seconds': key(timeout, {
    default: 30,
    unit: 'seconds',
    ids: ['CFG-TMO-01', 'CFG-TMO-01a'],
    description: 'How long a call that works on files may take.',
  }),
  'tools.timeouts.shell_commands_seconds': key(timeout, {
    default: 300,
    unit: 'seconds',
    ids: ['CFG-TMO-01', 'CFG-TMO-01a'],
    description: 'How long a call that starts a process may take.',
  }),
  'tools.timeouts.max_seconds': key(timeout, {
    default: 3600,
    unit: 'seconds',
    ids: ['CFG-TMO-01'],
    description: 'The longest that any call may take, also if its tool declares more.',
  }),
  'tools.output.max_bytes': key(integer({ min: 1, max: 1024 ** 3, tighter: 'lower' }), {
    default: 102_400,
    unit: 'bytes',
    ids: ['CFG-OUT-01', 'FR-OUT-04'],
    description:
      'The maximum size of a result; plain text is cut and marked, structured results shrink themselves.',
  }),
  'tools.output.style': key(choice(['text', 'json']), {
    default: 'text',
    description:
      'How models read results: as short text, or as the JSON of the result. `list_directory`, `read_file` and `run_command` have one form, and fenced blocks always hold JSON.',
  }),
  'tools.output.capacity_bytes': key(
    integer({ min: 0, max: 1024 ** 3, tighter: 'lower', isZeroUnlimited: true }),
    {
      default: 0,
      unit: 'bytes',
      ids: ['FR-REG-04b'],
      description:
        'The maximum size of all results of a batch together; 0 means no limit, as outside a conversation.',
    },
  ),
  'tools.output.fallback_capacity_bytes': key(integer({ min: 1, max: 1024 ** 3, tighter: 'lower' }), {
    default: 65_536,
    unit: 'bytes',
    ids: ['FR-REG-04b'],
    description: 'The capacity assumed for a model whose context size is unknown.',
  }),
  'journal.durability': key(choice(['memory', 'normal', 'full']), {
    default: 'full',
    ids: ['FR-RES-04'],
    description: 'What a recorded event survives: nothing, the end of the process, or a power cut.',
  }),
  'journal.max_bytes': key(integer({ min: 0, max: 1024 ** 5, tighter: 'never', isZeroUnlimited: true }), {
    default: 1024 ** 3,
    unit: 'bytes',
    description:
      'The size above which the oldest recorded contents are erased, so the changes they belong to can no longer be undone; 0 is no limit.',
  }),
  'journal.max_age_days': key(integer({ min: 0, max: 36_500, tighter: 'never', isZeroUnlimited: true }), {
    default: 90,
    unit: 'days',
    description: 'The age at which recorded contents are erased; 0 is no limit.',
  }),
  'tools.session_wait_seconds': key(number({ min: 0, max: 3_600, tighter: 'lower' }), {
    default: 300,
    unit: 'seconds',
    description: 'How long a command waits for its turn in a session that another process owns.',
  }),
  'journal.witness': key(text({ isOptional: true }), {
    default: '',
    fromProject: 'nothing',
    description:
      'A file outside the state folder and the workspace to which the heads of the log are appended, so that tongs audit verify notices a state folder that was restored from a copy; empty means none.',
  }),
  'journal.resource_usage': key(boolean('true'), {
    default: true,
    ids: ['R-TEL-5'],
    description:
      'Whether the processor time, memory and disk access of a call that ran alone are recorded with it.',
  }),
  'telemetry.enabled': key(boolean('false'), {
    default: false,
    ids: ['R-CHK-INT-3', 'R-CHK-RT-6'],
    description:
      'Whether calls are reported to OpenTelemetry as spans and metrics, through the SDK that the process has loaded.',
  }),
  'telemetry.arguments': key(boolean('false'), {
    default: false,
    description: 'Whether spans carry the arguments of calls, with what looks like a secret redacted.',
  }),
} as const
