import { list, origins, wordList } from '../kinds/collection-kinds.ts'
import { capabilities } from '../kinds/capabilities-kind.ts'
import { boolean, choice, integer, number } from '../kinds/scalar-kinds.ts'
import { servers } from '../kinds/servers-kind.ts'
import { key } from './key-spec.ts'

/** What calls may access, when approval is needed, and what is hidden from commands and models. */
export const guardKeys = {
  'tools.sandbox.allowed_roots': key(list({ tighter: 'subset', arePaths: true, keepsFirst: true }), {
    default: ['.'],
    ids: ['CFG-SBX-01', 'FR-VAL-03'],
    description:
      'The folders that path tools may work in; relative ones start at the root. The first is where relative paths start and commands run; a file that may only tighten cannot take it away. If there are none, every path and every command is refused.',
  }),
  'tools.sandbox.denied_patterns': key(list({ tighter: 'add', isAdditive: true }), {
    default: ['**/.ssh/**', '**/*.pem'],
    ids: ['CFG-SBX-01', 'FR-VAL-03'],
    description: 'Path patterns that no path tool may touch; each layer adds to those below it.',
  }),
  'tools.sandbox.allow_absolute': key(boolean('false'), {
    default: true,
    strict: false,
    ids: ['CFG-SBX-01', 'FR-VAL-04'],
    description: 'Whether an absolute path is accepted if it is inside an allowed folder.',
  }),
  'tools.sandbox.include_default_denies': key(boolean('true'), {
    default: true,
    ids: ['CFG-SBX-01', 'FR-VAL-05'],
    description: 'Whether the built-in list of places where secrets are stored is denied as well.',
  }),
  'tools.approval.enabled': key(boolean('false'), {
    default: true,
    ids: ['CFG-APR-01', 'FR-APR-04a'],
    description: 'Whether calls may run at all; false refuses every call, so false is tighter.',
  }),
  'tools.approval.mode': key(choice(['auto', 'prompt', 'deny']), {
    default: 'prompt',
    ids: ['CFG-APR-01', 'FR-APR-04c', 'FR-APR-04d'],
    description:
      'Whether calls run unless denied, run after asking if they have effects, or run only if allowlisted.',
  }),
  'tools.approval.allowlist': key(list({ tighter: 'subset' }), {
    default: ['read_file'],
    ids: ['CFG-APR-01', 'FR-APR-04c', 'FR-APR-04d'],
    description: 'Tools that run without asking, and the only ones that run in mode `deny`.',
  }),
  'tools.approval.denylist': key(list({ tighter: 'add' }), {
    default: ['run_command'],
    ids: ['CFG-APR-01', 'FR-APR-04b'],
    description:
      'Tools that never run; `run_command` stays off until it is enabled, whatever this list says.',
  }),
  'tools.approval.prompt_side_effects': key(boolean('true'), {
    default: true,
    ids: ['CFG-APR-01', 'FR-APR-04d'],
    description: 'Whether every tool with effects asks first in mode `prompt`.',
  }),
  'tools.approval.allowed_effects': key(wordList(['read', 'edit', 'spawn', 'external']), {
    default: ['read', 'edit', 'spawn', 'external'],
    ids: ['FR-APR-04'],
    description: 'What calls may do at all; a call that would do anything else is refused without asking.',
  }),
  'tools.approval.approved_effects': key(wordList(['edit', 'spawn']), {
    default: [],
    ids: ['FR-APR-04'],
    description:
      'What mode `prompt` allows without asking: `edit` if undo can revert it exactly, `spawn` if the process is sandboxed without network.',
  }),
  'tools.approval.pending_seconds': key(number({ min: 0.001, max: 315_360_000, tighter: 'lower' }), {
    default: 604_800,
    unit: 'seconds',
    description: 'How long a pending question may wait for an answer before it expires.',
  }),
  'tools.approval.grant_seconds': key(number({ min: 1, max: 315_360_000, tighter: 'lower' }), {
    default: 600,
    unit: 'seconds',
    description: 'The duration that a prompt offers to a person who wants to allow more than one call.',
  }),
  'tools.permission_timeout_seconds': key(number({ min: 0.001, max: 604_800, tighter: 'lower' }), {
    default: 300,
    unit: 'seconds',
    ids: ['P-CFG'],
    description: 'How long a person has to answer a prompt; no answer counts as a denial.',
  }),
  'tools.require_permissions': key(boolean('true'), {
    default: true,
    ids: ['P-CFG'],
    description: 'Whether rules that require consent are enforced.',
  }),
  'tools.environment.denylist': key(list({ tighter: 'add', isAdditive: true }), {
    default: ['*_KEY', '*_TOKEN', '*_SECRET', '*_PASSWORD', 'AWS_*', 'ANTHROPIC_*', 'OPENAI_*'],
    ids: ['CFG-ENV-01'],
    description:
      'Variables that no command ever sees; each layer adds to those below it, and case is ignored on Windows.',
  }),
  'tools.environment.allow': key(list({ tighter: 'subset' }), {
    default: [],
    description:
      'Variables that commands see in addition to the built-in ones, unless a denylist names them.',
  }),
  'secrets.to_model': key(choice(['allow', 'ask', 'deny']), {
    default: 'ask',
    ids: ['F-SAFE-REDACT'],
    description:
      'What happens when a result that is about to go to a model looks as if it contains a secret.',
  }),
} as const

/** What tools may access, and which resources must be free before one starts. */
export const capabilityKeys = {
  'tools.capabilities.granted': key(capabilities(), {
    default: ['filesystem.*', 'process.*', 'network.connect', 'system.*', 'state.*'],
    strict: ['filesystem.*', 'process.*', 'system.*', 'state.*'],
    ids: ['RULE 2'],
    fromProject: 'tighter',
    description:
      'What tools may have if they declare it; having it does not replace approval, which calls with effects still need.',
  }),
  'tools.resources.min_free_bytes': key(integer({ min: 0, max: 1024 ** 5, tighter: 'higher' }), {
    default: 1_048_576,
    unit: 'bytes',
    ids: ['RULE 3'],
    description:
      'How much space must be free on the disks of the workspace and the state folder before a call that writes there starts.',
  }),
  'tools.resources.min_free_descriptors': key(integer({ min: 0, max: 1_000_000, tighter: 'higher' }), {
    default: 16,
    unit: 'entries',
    ids: ['RULE 3'],
    description: 'How many more files the process must be able to open before a call starts.',
  }),
  'tools.resources.look_seconds': key(number({ min: 0, max: 3_600, tighter: 'lower' }), {
    default: 1,
    unit: 'seconds',
    description:
      'How long a check of disks and open files stays valid; a shortage is checked again every time.',
  }),
} as const

/** The servers of others whose tools may be used. */
export const serverKeys = {
  'mcp.servers': key(servers(), {
    fromProject: 'nothing',
    default: {},
    description:
      'MCP servers whose tools may be called, each as a table `[mcp.servers.NAME]`; a project cannot name any, because they are programs.',
  }),
  'mcp.advertise_bytes': key(integer({ min: 0, max: 1024 ** 2, tighter: 'lower' }), {
    default: 16_384,
    unit: 'bytes',
    description:
      "How large the definitions of all MCP servers' tools may be together for a model to be told about each of them. If they are larger, it is told about `search_tools`, which finds them; what `tools.advertise` names is always told.",
  }),
} as const

/** What may be fetched from the web, and how much of it. */
export const webKeys = {
  'tools.web_fetch.enabled': key(boolean('false'), {
    default: true,
    strict: false,
    description: 'Whether `web_fetch` may be called.',
  }),
  'tools.web_fetch.allowed_origins': key(origins('any', { tighter: 'subset', hasWildcard: true }), {
    default: ['*'],
    fromProject: 'tighter',
    description:
      'What may be fetched at all, as origins (`https://example.com`) or hosts (`example.com`, `*.example.com`, `example.com:8443`); "*" is everything. A host stands for both schemes, and for every port unless it names one; `*.` stands for all names below, and not for the name itself.',
  }),
  'tools.web_fetch.approved_origins': key(origins('with scheme', { tighter: 'subset' }), {
    default: [],
    fromProject: 'tighter',
    description: 'Origins that are fetched from without asking, each with its scheme.',
  }),
  'tools.web_fetch.denied_origins': key(origins('any', { tighter: 'add', isAdditive: true }), {
    default: [],
    fromProject: 'tighter',
    description:
      'Origins or hosts that are never fetched from, whoever approves; each layer adds to those below it.',
  }),
  'tools.web_fetch.private_hosts': key(origins('host only', { tighter: 'subset' }), {
    default: [],
    fromProject: 'tighter',
    description:
      'Hosts that may be fetched from although they are not on the public internet, such as a wiki of your company or a server on this machine, each with or without a port. They are asked about like any other.',
  }),
  'tools.web_fetch.max_bytes': key(integer({ min: 1024, max: 64 * 1024 ** 2, tighter: 'lower' }), {
    default: 5 * 1024 ** 2,
    unit: 'bytes',
    description:
      'How much of an answer is read, counted after it is decompressed; the connection is then closed.',
  }),
  'tools.web_fetch.page_bytes': key(integer({ min: 1024, max: 1024 ** 2, tighter: 'lower' }), {
    default: 32_768,
    unit: 'bytes',
    description: 'How much text one call returns; `read_file` pages through the rest.',
  }),
  'tools.web_fetch.max_redirects': key(integer({ min: 0, max: 20, tighter: 'lower' }), {
    default: 5,
    unit: 'times',
    description: 'How many redirects within an origin are followed; one to another origin never is.',
  }),
} as const
