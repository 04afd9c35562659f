import { MAX_DEPTH } from '../../core/json/value.ts'
import { list } from '../kinds/collection-kinds.ts'
import { gates } from '../kinds/gates-kind.ts'
import { rules } from '../kinds/rules-kind.ts'
import { boolean, choice, integer, number } from '../kinds/scalar-kinds.ts'
import { definitions } from '../kinds/table-kinds.ts'
import { key } from './key-spec.ts'

/**
 * The most calls a batch may have, whatever the settings say; a longer one is rejected as a whole before anything is
 * recorded. Planning a batch does not yield, so its length bounds how long a signal can go unnoticed.
 */
export const MAX_BATCH_CALLS = 10_000

/** Which calls a model may make, how many, and how its loop continues. */
export const loopKeys = {
  profile: key(choice(['agent', 'strict'], { srd: 'strict' }), {
    default: 'agent',
    fromProject: 'tighter',
    description: 'The set of defaults that everything else starts from; "srd" is another name for "strict".',
  }),
  'tools.mode': key(choice(['enabled', 'parse_only', 'disabled']), {
    default: 'enabled',
    strict: 'parse_only',
    ids: ['CFG-TOOLS-01', 'FR-MODE-01', 'FR-MODE-02', 'FR-MODE-03'],
    description:
      "Whether a model's calls are run, only parsed and held for a person, or refused; `disabled` refuses every call.",
  }),
  'tools.allow_parallel': key(boolean('false'), {
    default: true,
    strict: false,
    ids: ['CFG-TOOLS-01'],
    description: 'Whether consecutive calls that only read may run in parallel.',
  }),
  'tools.max_tool_calls_per_batch': key(integer({ min: 1, max: MAX_BATCH_CALLS, tighter: 'lower' }), {
    default: 32,
    strict: 8,
    unit: 'calls',
    ids: ['CFG-TOOLS-01', 'FR-LIM-01'],
    description: 'How many calls one message may contain; the rest are refused one by one.',
  }),
  'tools.max_tool_iterations_per_user_turn': key(integer({ min: 1, max: 100_000, tighter: 'lower' }), {
    default: 50,
    strict: 4,
    unit: 'times',
    ids: ['CFG-TOOLS-01', 'FR-LIM-02', 'FR-RES-03'],
    description: 'How many rounds of calls a model gets before the user has to send another message.',
  }),
  'tools.max_tool_args_bytes': key(integer({ min: 2, max: 1024 ** 3, tighter: 'lower' }), {
    default: 262_144,
    unit: 'bytes',
    ids: ['CFG-TOOLS-01', 'FR-LIM-03'],
    description:
      "The maximum size of a call's arguments as JSON; patches and file contents have limits of their own.",
  }),
  'tools.max_tool_args_depth': key(integer({ min: 1, max: MAX_DEPTH, tighter: 'lower' }), {
    default: MAX_DEPTH,
    unit: 'levels',
    description: 'How deep the arguments of a call may be nested.',
  }),
  'tools.fenced.max_calls': key(integer({ min: 1, max: MAX_BATCH_CALLS, tighter: 'lower' }), {
    default: 32,
    unit: 'calls',
    ids: ['F-PROTO-ONE'],
    description: 'How many fenced blocks of one message are taken as calls.',
  }),
  'tools.on_execution_error': key(choice(['continue', 'stop']), {
    default: 'continue',
    ids: ['FR-EXE-02', 'P-BATCH'],
    description: 'Whether the calls after a failed one still run, or are skipped.',
  }),
  'tools.on_refused_edit': key(choice(['go_on', 'skip_commands']), {
    default: 'skip_commands',
    strict: 'go_on',
    description:
      'What happens to later calls of a message that start a process after an edit of it was refused: they run, or are skipped.',
  }),
  'tools.arguments': key(choice(['lenient', 'exact']), {
    default: 'lenient',
    strict: 'exact',
    description:
      "Whether common slips in the arguments of a model's calls are put right before they are checked, such as a number written as text. All other callers are taken exactly.",
  }),
  'tools.continuation': key(choice(['always', 'heartbeat']), {
    default: 'always',
    ids: ['FR-RES-02', 'P-HB'],
    description: 'Whether the model continues after every batch, or only when a call asks for it.',
  }),
  'tools.advertise': key(list({ tighter: 'subset', hasWildcard: true }), {
    default: [
      'apply_patch',
      'delegate',
      'delete_path',
      'edit_file',
      'glob',
      'list_files',
      'outline',
      'read_file',
      'replace',
      'run_shell',
      'run_tests',
      'search',
      'todo_write',
      'web_fetch',
      'write_file',
    ],
    strict: ['*'],
    ids: ['CFG-TOOLS-02a', 'FR-REG-03a'],
    description:
      'The tools a model is told about; "*" is every registered tool. The others can still be called. Unless it is set, tools registered by a program are included; a tool from `tools.definitions` is included in `enabled` mode only if it is named here.',
  }),
  'tools.delegate.max_depth': key(integer({ min: 1, max: 4, tighter: 'lower' }), {
    default: 2,
    unit: 'levels',
    description:
      'How deep conversations may delegate: 1 lets the conversation of a session delegate, and those it begins not.',
  }),
  'tools.delegate.max_requests': key(integer({ min: 1, max: 10_000, tighter: 'lower' }), {
    default: 40,
    unit: 'times',
    description: 'How often the model of a delegated conversation may be asked.',
  }),
  'tools.delegate.max_tokens': key(
    integer({ min: 0, max: 1_000_000_000, tighter: 'lower', isZeroUnlimited: true }),
    {
      default: 0,
      unit: 'tokens',
      description: 'How many tokens a delegated conversation may use, in and out; 0 is no limit of its own.',
    },
  ),
  'tools.delegate.max_seconds': key(number({ min: 1, max: 86_400, tighter: 'lower' }), {
    default: 1800,
    unit: 'seconds',
    description: 'How long a delegated conversation may take.',
  }),
  'tools.definitions': key(definitions(), {
    default: [],
    ids: ['CFG-TOOLS-02'],
    description:
      'Tools that exist only as a description; the model may call them, and a person supplies the results.',
  }),
  'tools.rules': key(rules(), {
    default: [],
    description: 'Rules about the order, number and timing of calls, and about consent.',
  }),
  'tools.gates': key(gates(), {
    default: [],
    fromProject: 'nothing',
    description:
      "Your own programs that are told about each call and may object; a project's file can never add any.",
  }),
  'tools.max_identical_failures': key(
    integer({ min: 0, max: 1_000, tighter: 'lower', isZeroUnlimited: true }),
    {
      default: 5,
      description: 'How often the same call may fail in the same way within a turn before it is refused.',
    },
  ),
  'tools.dedupe_window_seconds': key(number({ min: 0, max: 31_536_000, tighter: 'higher' }), {
    default: 300,
    unit: 'seconds',
    ids: ['P-CFG'],
    description: 'How long repeating a successful call with effects is refused as a duplicate.',
  }),
  'tools.retry.max': key(integer({ min: 0, max: 3, tighter: 'lower' }), {
    default: 3,
    unit: 'times',
    ids: ['R-RETRY'],
    description: 'How often an idempotent call is retried after it ran out of time or resources.',
  }),
  'tools.retry.backoff_seconds': key(number({ min: 0, max: 3_600, tighter: 'higher' }), {
    default: 0.1,
    unit: 'seconds',
    ids: ['R-RETRY'],
    description: 'How long to wait before the first retry of a call; each further wait is twice as long.',
  }),
  'tools.retry.timeout_factor': key(number({ min: 1, max: 10, tighter: 'lower' }), {
    default: 2,
    unit: 'times',
    description: 'How many times its timeout all attempts of one call may take together.',
  }),
} as const
