import { lastWordOf } from '../../../core/text/trim-end.ts'
import { findNamedFiles } from '../../../core/attachment/named-files.ts'
import { fuzzyFilter } from '@earendil-works/pi-tui'
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '@earendil-works/pi-tui'
import { isJsonObject } from '../../../core/json/value.ts'
import type { ToolDefinition } from '../../../core/registry.ts'
import { columnsOf, truncateEnd } from '../../../terminal/fit-rows.ts'
import { plainLine } from '../draw/canvas.ts'
import type { AppState } from '../app-state.ts'
import type { AppPowers } from '../commands/app-command.ts'
import { APP_COMMANDS } from '../commands/command-list.ts'
import { createPathFinder } from './find-paths.ts'

/** Sources of completions. */
export interface CompletionSources {
  readonly commands: () => readonly { readonly name: string; readonly says: string }[]
  /** Completions of a command's arguments. */
  readonly wordsFor: (command: string) => readonly string[]
  readonly tools: () => readonly ToolDefinition[]
  readonly paths: (signal: AbortSignal) => Promise<readonly string[]>
  /** How wide the terminal is. */
  readonly columns: () => number
}

const MOST = 40
/** Arguments that take a path. */
const PATH_KEYS = /^(?:path|directory|from|to|cwd|export_path)$/

/** Completes commands, tools, arguments and paths. */
export function createCompletion(sources: CompletionSources): AutocompleteProvider {
  return {
    triggerCharacters: ['/', '@', '='],
    async getSuggestions(lines, cursorLine, cursorCol, { signal, force }) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol)
      const found = await suggest({ before, line: cursorLine, isForced: force === true, signal }, sources)
      return found === null ? null : fitDescriptions(found, sources.columns())
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? ''
      const start = line.slice(0, cursorCol - prefix.length) + item.value
      const next = [...lines]
      next[cursorLine] = start + line.slice(cursorCol)
      return { lines: next, cursorLine, cursorCol: start.length }
    },
    shouldTriggerFileCompletion: () => true,
  }
}

/** How the library lays out its list: the margins, the gap behind the names, and how wide their column is. */
const MARGINS = 6
const GAP = 2
const NAME_COLUMNS = { least: 12, most: 32 } as const

/** Ends each description at a word, because the library would cut it wherever the row ends. */
export function fitDescriptions(
  { items, prefix }: AutocompleteSuggestions,
  columns: number,
): AutocompleteSuggestions {
  const { least, most } = NAME_COLUMNS
  const widest = Math.max(...items.map(({ label }) => columnsOf(label) + GAP))
  const names = prefix.startsWith('/') ? Math.min(Math.max(widest, least), most) : most
  const fitted = items.map((item) => {
    const words = item.description === undefined ? '' : plainLine(item.description)
    return words === '' ? item : { ...item, description: endAtWord(words, columns - MARGINS - names) }
  })
  return { items: fitted, prefix }
}

function endAtWord(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  const cut = truncateEnd(text, columns).slice(0, -1)
  const end = text[cut.length] === ' ' ? cut.length : cut.lastIndexOf(' ')
  return `${(end > 0 ? cut.slice(0, end) : cut).trimEnd()}…`
}

/** The text before the cursor, and whether completion was requested. */
interface CompletionRequest {
  readonly before: string
  readonly line: number
  readonly isForced: boolean
  readonly signal: AbortSignal
}

async function suggest(
  { before, line, isForced, signal }: CompletionRequest,
  sources: CompletionSources,
): Promise<AutocompleteSuggestions | null> {
  const word = lastWordOf(before)
  if (word.startsWith('@')) return offerPaths(word, '@', signal, sources)
  const pair = /^([A-Za-z_]\w*)=(["']?)(.*)$/.exec(word)
  if (pair !== null && PATH_KEYS.test(pair[1] ?? ''))
    return offerPaths(word, `${pair[1] ?? ''}=${pair[2] ?? ''}`, signal, sources)
  if (line > 0) return null
  if (before.startsWith('/')) return offerCommands(before, sources)
  const [name = '', ...rest] = before.split(' ')
  if (rest.length === 0) return isForced || name.includes('_') ? offerTools(name, sources) : null
  const tool = sources.tools().find((one) => one.name === name)
  return tool === undefined || pair !== null ? null : offerArguments(word, tool)
}

function offerCommands(before: string, sources: CompletionSources): AutocompleteSuggestions | null {
  const found = /^\/(\S*)\s+(.*)$/.exec(before)
  if (found === null)
    return offer(
      before,
      sources
        .commands()
        .map(({ name, says }) => ({ value: `/${name}`, label: `/${name}`, description: says })),
      before.slice(1),
    )
  const [, command = '', typed = ''] = found
  const words = sources.wordsFor(command).map((word) => ({ value: word, label: plainLine(word) }))
  return offer(typed, words, typed)
}

function offerTools(name: string, sources: CompletionSources): AutocompleteSuggestions | null {
  const items = sources
    .tools()
    .map((tool) => ({ value: `${tool.name} `, label: tool.name, description: tool.description }))
  return offer(name, items, name)
}

function offerArguments(word: string, { inputSchema }: ToolDefinition): AutocompleteSuggestions | null {
  const { properties } = inputSchema
  if (!isJsonObject(properties)) return null
  const items = Object.entries(properties).map(([key, schema]) => ({
    value: `${key}=`,
    label: key,
    description:
      isJsonObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : '',
  }))
  return offer(word, items, word)
}

/** Completes a path, quoted if it contains blanks. */
async function offerPaths(
  word: string,
  lead: string,
  signal: AbortSignal,
  sources: CompletionSources,
): Promise<AutocompleteSuggestions | null> {
  const paths = await sources.paths(signal)
  const typed = word.slice(lead.length)
  // What is typed next is not a part of the name.
  const end = lead === '@' ? ' ' : ''
  const isOpen = lead.endsWith('"') || lead.endsWith("'")
  const items = rankPaths(paths, typed).map((path) => ({
    value: `${lead}${/\s/.test(path) && !isOpen && needsQuotes(lead, path) ? JSON.stringify(path) : path}${end}`,
    label: plainLine(path),
  }))
  return items.length === 0 ? null : { items: items.slice(0, MOST), prefix: word }
}

/** The paths that fit, best first: a name that begins with what is typed is meant before letters from all over a path. */
export function rankPaths(paths: readonly string[], typed: string): readonly string[] {
  if (typed === '') return paths
  const wanted = typed.toLowerCase()
  const rank = (path: string): number => {
    const whole = path.toLowerCase()
    const name = whole.slice(whole.lastIndexOf('/') + 1)
    if (name.startsWith(wanted) || whole.startsWith(wanted)) return 0
    return name.includes(wanted) ? 1 : whole.includes(wanted) ? 2 : 3
  }
  const found = fuzzyFilter([...paths], typed, (path) => path)
  return found.toSorted((one, other) => rank(one) - rank(other))
}

/** Where a file is attached, its name has to have an end. */
function needsQuotes(lead: string, path: string): boolean {
  return lead !== '@' || findNamedFiles(`@"${path}"`).length > 0
}

function offer(
  prefix: string,
  items: readonly AutocompleteItem[],
  typed: string,
): AutocompleteSuggestions | null {
  const found = typed === '' ? items : fuzzyFilter([...items], typed, ({ label }) => label)
  return found.length === 0 ? null : { items: found.slice(0, MOST), prefix }
}

/** Completion for the open session. */
export function createAppCompletion(
  state: AppState,
  powers: AppPowers,
  stateDir: string,
  columns: () => number,
): AutocompleteProvider {
  return createCompletion({
    columns,
    commands: () => [
      ...APP_COMMANDS,
      ...state.session.ownCommands().usable.map(({ name, description }) => ({ name, says: description })),
    ],
    wordsFor: (name) => APP_COMMANDS.find((one) => one.name === name)?.complete?.(powers) ?? [],
    tools: () => state.session.runtime.definitions(),
    paths: createPathFinder(() => ({
      root: state.session.runtime.root,
      stateDir,
      settings: state.session.runtime.configuration.settings,
    })),
  })
}
