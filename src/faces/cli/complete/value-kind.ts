import { PRESET_NAMES } from '../../../config/presets.ts'
import type { CommandName } from '../command-table.ts'

/** What can stand at a place of a command line: one of some words, files, or names that are looked up. */
export type ValueKind =
  | { readonly words: readonly string[] }
  | 'file'
  | 'folder'
  | 'session'
  | 'tool'
  | 'key'
  | 'setting'
  | 'approval'
  | 'call'
  | 'grant'
  | 'server'
  | 'none'

const oneOf = (...words: readonly string[]): ValueKind => ({ words })
const PROVIDERS = ['anthropic/', 'openai/', 'google/', 'compatible/', 'script:']

/** What the value of an option can be; options that are not here take words of one's own. */
const OPTION_KINDS: Readonly<Record<string, ValueKind>> = {
  '--root': 'folder',
  '--session': 'session',
  '--config': 'file',
  '--profile': oneOf('agent', 'strict'),
  '--preset': oneOf(...PRESET_NAMES),
  '--set': 'setting',
  '--model': oneOf(...PROVIDERS),
  '--protocol': oneOf('native', 'fenced', 'auto'),
  '--scope': oneOf('tool', 'arguments', 'path:', 'command:'),
  '--except': 'file',
  '--effect': oneOf('read', 'external'),
  '--tool': 'none',
  '--read': 'file',
  '--write': 'file',
}

/** What the value of an option can be. */
export function kindOfOption(name: string): ValueKind {
  return OPTION_KINDS[name] ?? 'none'
}

type KindAfter = (before: readonly string[]) => ValueKind

const nothing: KindAfter = () => 'none'
const first =
  (kind: ValueKind): KindAfter =>
  ({ length }) =>
    length === 0 ? kind : 'none'
const every =
  (kind: ValueKind): KindAfter =>
  () =>
    kind

/** A verb, and what the word after each verb can be. */
const verbs =
  (table: Readonly<Record<string, ValueKind>>): KindAfter =>
  ([verb, ...rest]) => {
    if (verb === undefined) return oneOf(...Object.keys(table))
    return rest.length === 0 ? (table[verb] ?? 'none') : 'none'
  }

const WORD_KINDS: Readonly<Record<CommandName, KindAfter>> = {
  app: nothing,
  call: first('tool'),
  batch: first('file'),
  run: nothing,
  setup: nothing,
  sessions: verbs({ rename: 'session', fork: 'session' }),
  recover: nothing,
  pending: nothing,
  approve: every('approval'),
  deny: every('approval'),
  undo: every('call'),
  redo: nothing,
  log: nothing,
  why: first('call'),
  stats: nothing,
  audit: verbs({ verify: 'none', export: 'none' }),
  adopt: first('folder'),
  repair: nothing,
  forget: first('session'),
  tools: first('tool'),
  config: verbs({ explain: 'key', preset: oneOf(...PRESET_NAMES), schema: 'none' }),
  trust: nothing,
  rules: nothing,
  policy: verbs({ check: 'file', replay: 'none' }),
  grants: verbs({ revoke: 'grant' }),
  tasks: nothing,
  doctor: nothing,
  mcp: verbs({
    list: 'none',
    add: 'none',
    remove: 'server',
    trust: 'server',
    login: 'server',
    logout: 'server',
  }),
  acp: nothing,
  completion: first(oneOf('bash', 'zsh', 'fish')),
  demo: nothing,
}

/** What the next word of a command can be, after the words that stand there. */
export function kindOfWord(command: CommandName, before: readonly string[]): ValueKind {
  return WORD_KINDS[command](before)
}
