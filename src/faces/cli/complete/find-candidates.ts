import type { CommandSpec, OptionSpec } from '../arguments.ts'
import { COMMANDS, COMMON_OPTIONS } from '../command-table.ts'
import type { CommandName } from '../command-table.ts'
import { kindOfOption, kindOfWord } from './value-kind.ts'
import type { ValueKind } from './value-kind.ts'

/** A word that may stand at the cursor. */
export interface Candidate {
  readonly value: string
  readonly says: string
}

/** What may stand at the cursor; files and folders are left to the shell, which knows them best. */
export type Candidates =
  | { readonly kind: 'words'; readonly rows: readonly Candidate[] }
  | { readonly kind: 'files' | 'folders' }

/** A kind of name that has to be looked up. */
export type NameKind = Exclude<ValueKind, { readonly words: readonly string[] } | 'file' | 'folder' | 'none'>

/** Looks names up; `options` are the options that are complete on the line, such as the root. */
export type LookUp = (kind: NameKind, options: readonly string[]) => Promise<readonly Candidate[]>

/** The options that decide which names there are. */
const OPENING = new Set(['--root', '--config', '--profile', '--preset', '--set'])

interface Typed {
  readonly command: (CommandSpec & { readonly name: CommandName }) | null
  readonly words: readonly string[]
  readonly used: ReadonlySet<string>
  readonly opening: readonly string[]
  /** The option whose value the cursor is at. */
  readonly open: OptionSpec | null
  readonly isPastOptions: boolean
}

/** What may stand at the cursor, which is at the end of the last word. */
export async function findCandidates(line: readonly string[], lookUp: LookUp): Promise<Candidates> {
  const current = line.at(-1) ?? ''
  const typed = readTyped(line.slice(0, -1))
  const equals = current.indexOf('=')
  if (typed.open !== null) return offer(kindOfOption(typed.open.name), '', current, typed, lookUp)
  if (!typed.isPastOptions && current.startsWith('--') && equals !== -1) {
    const name = current.slice(0, equals)
    return offer(kindOfOption(name), `${name}=`, current, typed, lookUp)
  }
  if (!typed.isPastOptions && current.startsWith('-')) return matching(optionsOf(typed), current)
  if (typed.command === null)
    return matching(
      COMMANDS.map(({ name, says }) => ({ value: name, says })),
      current,
    )
  return offer(kindOfWord(typed.command.name, typed.words), '', current, typed, lookUp)
}

async function offer(
  kind: ValueKind,
  lead: string,
  current: string,
  { words, opening }: Typed,
  lookUp: LookUp,
): Promise<Candidates> {
  if (kind === 'none') return { kind: 'words', rows: [] }
  if (kind === 'file') return { kind: 'files' }
  if (kind === 'folder') return { kind: 'folders' }
  const found =
    typeof kind === 'object' ? kind.words.map((value) => ({ value, says: '' })) : await lookUp(kind, opening)
  const rows = found
    .filter(({ value }) => !words.includes(value))
    .map(({ value, says }) => ({ value: `${lead}${value}`, says }))
  return matching(rows, current)
}

function matching(rows: readonly Candidate[], current: string): Candidates {
  return { kind: 'words', rows: rows.filter(({ value }) => value.startsWith(current)) }
}

/** The options that may follow, without those that are there and may not be repeated. */
function optionsOf({ command, used }: Typed): readonly Candidate[] {
  const options: readonly OptionSpec[] = [...(command?.options ?? []), ...COMMON_OPTIONS]
  return [
    ...options
      .filter(({ name, isRepeatable }) => isRepeatable === true || !used.has(name))
      .map(({ name, says }) => ({ value: name, says })),
    { value: '--help', says: 'show the help' },
  ]
}

/** Reads the words before the cursor. They may be wrong or incomplete, so nothing is refused. */
function readTyped(line: readonly string[]): Typed {
  const known = new Map<string, OptionSpec>(COMMON_OPTIONS.map((option) => [option.name, option]))
  const words: string[] = []
  const used = new Set<string>()
  const opening: string[] = []
  let command: Typed['command'] = null
  let open: OptionSpec | null = null
  for (const [at, word] of line.entries()) {
    if (open !== null && !(open.takesAll === true && word.startsWith('--'))) {
      if (OPENING.has(open.name)) opening.push(open.name, word)
      if (open.takesAll !== true) open = null
      continue
    }
    open = null
    if (word === '--')
      return { command, words: [...words, ...line.slice(at + 1)], used, opening, open, isPastOptions: true }
    if (word.startsWith('--')) {
      const [name = '', ...value] = word.split('=')
      used.add(name)
      if (OPENING.has(name) && value.length > 0) opening.push(name, value.join('='))
      const option = known.get(name)
      if (option !== undefined && option.value !== null && value.length === 0) open = option
      continue
    }
    if (command !== null) {
      words.push(word)
      continue
    }
    command = COMMANDS.find(({ name }) => name === word) ?? null
    for (const option of command?.options ?? []) known.set(option.name, option)
  }
  return { command, words, used, opening, open, isPastOptions: false }
}
