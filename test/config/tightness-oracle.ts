import type { Key, Settings } from '../../src/config/keys.ts'

type Direction =
  | 'small'
  | 'small, 0 is endless'
  | 'large'
  | 'off'
  | 'on'
  | 'fewer'
  | 'fewer, * is all'
  | 'fewer, the first stays'
  | 'more'
  | 'unchanged'
  | 'more rules'
  | 'more tables'
  | 'fewer capabilities'
  | 'word by extension'
  | readonly string[]

/** What is safer for each key, written down by hand and not taken from the table that is under test. */
const SAFER: Readonly<Record<Key, Direction>> = {
  profile: ['agent', 'strict'],
  'tools.mode': ['enabled', 'parse_only', 'disabled'],
  'tools.allow_parallel': 'off',
  'tools.max_tool_calls_per_batch': 'small',
  'tools.max_tool_iterations_per_user_turn': 'small',
  'tools.max_tool_args_bytes': 'small',
  'tools.max_tool_args_depth': 'small',
  'tools.fenced.max_calls': 'small',
  'tools.delegate.max_depth': 'small',
  'tools.delegate.max_requests': 'small',
  'tools.delegate.max_tokens': 'small, 0 is endless',
  'tools.delegate.max_seconds': 'small',
  'tools.on_execution_error': ['continue', 'stop'],
  'tools.on_refused_edit': ['go_on', 'skip_commands'],
  'tools.arguments': ['lenient', 'exact'],
  'tools.continuation': ['always', 'heartbeat'],
  'tools.advertise': 'fewer, * is all',
  'tools.definitions': 'unchanged',
  'tools.rules': 'more rules',
  'tools.gates': 'more tables',
  'tools.max_identical_failures': 'small, 0 is endless',
  'tools.dedupe_window_seconds': 'large',
  'tools.retry.max': 'small',
  'tools.retry.timeout_factor': 'small',
  'tools.retry.backoff_seconds': 'large',
  'tools.sandbox.allowed_roots': 'fewer, the first stays',
  'tools.sandbox.denied_patterns': 'more',
  'tools.sandbox.allow_absolute': 'off',
  'tools.sandbox.include_default_denies': 'on',
  'tools.approval.enabled': 'off',
  'tools.approval.mode': ['auto', 'prompt', 'deny'],
  'tools.approval.allowlist': 'fewer',
  'tools.approval.denylist': 'more',
  'tools.approval.prompt_side_effects': 'on',
  'tools.approval.allowed_effects': 'fewer',
  'tools.approval.approved_effects': 'fewer',
  'tools.approval.pending_seconds': 'small',
  'tools.approval.grant_seconds': 'small',
  'tools.permission_timeout_seconds': 'small',
  'tools.require_permissions': 'on',
  'tools.environment.denylist': 'more',
  'tools.environment.allow': 'fewer',
  'tools.web_fetch.enabled': 'off',
  'tools.web_fetch.allowed_origins': 'fewer, * is all',
  'tools.web_fetch.approved_origins': 'fewer',
  'tools.web_fetch.denied_origins': 'more',
  'tools.web_fetch.private_hosts': 'fewer',
  'tools.web_fetch.max_bytes': 'small',
  'tools.web_fetch.page_bytes': 'small',
  'tools.web_fetch.max_redirects': 'small',
  'tools.capabilities.granted': 'fewer capabilities',
  'tools.resources.min_free_bytes': 'large',
  'tools.resources.min_free_descriptors': 'large',
  'tools.resources.look_seconds': 'small',
  'secrets.to_model': ['allow', 'ask', 'deny'],
  'tools.read_file.max_file_read_bytes': 'small',
  'tools.read_file.max_scan_bytes': 'small',
  'tools.read_file.over_limit': ['beginning', 'refuse'],
  'tools.read_file.binary': ['base64', 'refuse'],
  'attachments.max_bytes': 'small',
  'attachments.max_side_pixels': 'small',
  'tools.edit.max_file_bytes': 'small',
  'tools.edit.stale_shown_bytes': 'small',
  'tools.edit.syntax_check': 'word by extension',
  'tools.edit.syntax_check_max_bytes': 'large',
  'tools.edit.group': 'unchanged',
  'tools.edit.max_tree_files': 'small',
  'tools.git.timeout_seconds': 'unchanged',
  'tools.git.warn': 'on',
  'tools.git.stage': 'off',
  'tools.apply_patch.max_patch_bytes': 'small',
  'tools.apply_patch.strict_eol': 'on',
  'tools.write_file.max_content_bytes': 'small',
  'tools.write_file.create_only': 'on',
  'tools.list_directory.max_entries': 'small',
  'tools.list_directory.max_depth': 'small',
  'tools.list_directory.include_hidden_default': 'off',
  'tools.list_directory.include_symlinks_default': 'off',
  'tools.list_directory.include_files_default': 'off',
  'tools.list_directory.include_dirs_default': 'off',
  'tools.list_directory.include_other_default': 'off',
  'tools.ignore.patterns': 'more',
  'tools.walk.max_entries': 'small',
  'tools.list_files.max_depth': 'small',
  'tools.list_files.max_results': 'small',
  'tools.glob.max_results': 'small',
  'tools.search.counts_as_read': 'off',
  'tools.read_file.name_encodings': 'off',
  'tools.search.max_results': 'small',
  'tools.search.max_results_per_file': 'small',
  'tools.search.max_file_bytes': 'small',
  'tools.search.max_line_chars': 'small',
  'tools.search.engine': ['auto', 'built_in'],
  'tools.run_command.enabled': 'off',
  'tools.run_shell.enabled': 'off',
  'tools.run_tests.enabled': 'off',
  'tools.run_tests.command': 'unchanged',
  'tools.run_tests.runner': [
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
  ],
  'tools.run_tests.max_output_bytes': 'small',
  'tools.run_tests.max_report_bytes': 'small',
  'tools.run_tests.max_failures': 'small',
  'tools.shell.sandbox': ['none', 'external', 'auto'],
  'tools.shell.read': 'fewer',
  'tools.timeouts.default_seconds': 'small',
  'tools.timeouts.max_seconds': 'small',
  'tools.timeouts.file_operations_seconds': 'small',
  'tools.timeouts.shell_commands_seconds': 'small',
  'tools.output.max_bytes': 'small',
  'tools.output.style': ['text', 'json'],
  'tools.output.capacity_bytes': 'small, 0 is endless',
  'tools.output.fallback_capacity_bytes': 'small',
  'tools.shell.external_label': 'unchanged',
  'tools.shell.network': ['ask', 'never'],
  'tools.shell.layer': ['off', 'auto', 'require'],
  'tools.shell.ask': ['after', 'before', 'both'],
  'tools.shell.on_stop': ['keep', 'discard'],
  'tools.shell.on_denied': ['leave_out', 'refuse'],
  'tools.shell.passthrough': 'fewer',
  'tools.shell.throwaway': 'unchanged',
  'tools.shell.background.max': 'small',
  'tools.shell.background.max_seconds': 'small',
  'tools.shell.caches': ['layer', 'read', 'none'],
  'tools.shell.layer_dir': 'unchanged',
  'tools.shell.layer_max_bytes': 'small',
  'tools.shell.layer_copy_max_bytes': 'unchanged',
  'tools.shell.layer_max_files': 'small',
  'tools.shell.paths': ['ask', 'never'],
  'tools.shell.limits.cpu_seconds': 'small, 0 is endless',
  'tools.shell.limits.memory_bytes': 'small, 0 is endless',
  'tools.shell.limits.processes': 'small, 0 is endless',
  'tools.shell.limits.scratch_bytes': 'small, 0 is endless',
  'tools.shell.grace_seconds': 'small',
  'tools.shell.probe_seconds': 'unchanged',
  'tools.shell.limits.file_bytes': 'small, 0 is endless',
  'tools.output.spill': 'off',
  'tools.output.spill_max_bytes': 'small',
  'journal.durability': ['memory', 'normal', 'full'],
  'journal.max_bytes': 'unchanged',
  'journal.max_age_days': 'unchanged',
  'tools.session_wait_seconds': 'small',
  'journal.witness': 'unchanged',
  'journal.resource_usage': 'on',
  'mcp.servers': 'unchanged',
  'mcp.advertise_bytes': 'small',
  'model.name': 'unchanged',
  'model.base_url': 'unchanged',
  'model.key_command': 'unchanged',
  'model.context_tokens': 'unchanged',
  'model.attachments': ['all', 'auto', 'pictures', 'none'],
  'model.prices': 'unchanged',
  'model.retry.max': 'small',
  'model.retry.first_seconds': 'unchanged',
  'model.retry.longest_seconds': 'small',
  'model.idle_seconds': 'small',
  'conversation.response_reserve_tokens': 'unchanged',
  'conversation.safety_margin_tokens': 'unchanged',
  'conversation.shrink_at_percent': 'unchanged',
  'conversation.keep_percent': 'unchanged',
  'conversation.draft_seconds': 'unchanged',
  'conversation.notes': 'fewer',
  'conversation.notes_max_bytes': 'small',
  'conversation.notes_total_bytes': 'small',
  'telemetry.enabled': 'off',
  'telemetry.arguments': 'off',
  'ui.reduced_motion': 'on',
  'ui.characters': ['auto', 'unicode', 'ascii'],
  'ui.screen': ['inline', 'full'],
  'ui.mouse': 'off',
  'ui.output_lines': 'small',
  'ui.history_entries': 'small',
  'notify.terminal': ['auto', 'bell', 'off'],
  'notify.command': 'unchanged',
  'notify.after_seconds': 'unchanged',
}

const CHECK_WORDS = ['off', 'warn', 'refuse']
const LOOSENING_RULES = ['ContinueLoop', 'NeverDedupe', 'Needed', 'Periodic']

/** The keys that allow more after than before. */
export function findLooser(before: Settings, after: Settings): readonly string[] {
  const looser = Object.entries(SAFER).filter(([key, direction]) =>
    isLooser(direction, Reflect.get(before, key), Reflect.get(after, key)),
  )
  return looser.map(([key]) => key)
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

const BRANCHES: Readonly<Record<string, readonly string[]>> = {
  filesystem: ['read', 'write', 'delete', 'execute'],
  process: ['spawn', 'kill', 'signal'],
  network: ['connect', 'listen'],
  system: ['env', 'time', 'info'],
  state: ['read', 'write'],
}

const leaves = (value: unknown): readonly string[] =>
  texts(value).flatMap((word) => {
    const [branch = '', leaf] = word.split('.')
    return leaf === '*' ? (BRANCHES[branch] ?? []).map((one) => `${branch}.${one}`) : [word]
  })

const endless = (value: unknown): number => (value === 0 ? Number.MAX_VALUE : Number(value))

const json = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : []

/** How strict a map of syntax checks is about one extension; what it does not name warns. */
function strictness(map: unknown, extension: string): number {
  const found = Object.entries(Object(map)).find(([name]) => name === extension)
  return found === undefined ? 1 : CHECK_WORDS.indexOf(String(found[1]))
}

function isLooser(direction: Direction, before: unknown, after: unknown): boolean {
  if (typeof direction !== 'string')
    return direction.indexOf(String(after)) < direction.indexOf(String(before))
  switch (direction) {
    case 'small':
      return Number(after) > Number(before)
    case 'small, 0 is endless':
      return endless(after) > endless(before)
    case 'large':
      return Number(after) < Number(before)
    case 'off':
      return before === false && after !== false
    case 'on':
      return before === true && after !== true
    case 'fewer':
      return !texts(after).every((entry) => texts(before).includes(entry))
    case 'fewer, the first stays':
      return (
        texts(after)[0] !== texts(before)[0] || !texts(after).every((entry) => texts(before).includes(entry))
      )
    case 'fewer, * is all':
      return !texts(before).includes('*') && !texts(after).every((entry) => texts(before).includes(entry))
    case 'fewer capabilities':
      return !leaves(after).every((one) => leaves(before).includes(one))
    case 'more':
      return !texts(before).every((entry) => texts(after).includes(entry))
    case 'unchanged':
      return JSON.stringify(before) !== JSON.stringify(after)
    case 'more tables':
      return !json(before).every((row) => json(after).includes(row))
    case 'more rules': {
      const added = json(after).filter((rule) => !json(before).includes(rule))
      const isDropped = !json(before).every((rule) => json(after).includes(rule))
      return isDropped || added.some((rule) => LOOSENING_RULES.some((type) => rule.includes(`"${type}"`)))
    }
    case 'word by extension': {
      const extensions = [...Object.keys(Object(before)), ...Object.keys(Object(after))]
      return extensions.some((extension) => strictness(after, extension) < strictness(before, extension))
    }
  }
}
