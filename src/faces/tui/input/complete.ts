import { findNamedFiles } from '../../../core/attachment/named-files.ts'
import { fuzzyFilter } from '@earendil-works/pi-tui'
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '@earendil-works/pi-tui'
import { isJsonObject } from '../../../core/json/value.ts'
import type { ToolDefinition } from '../../../core/registry.ts'
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
      return suggest({ before, line: cursorLine, isForced: force === true, signal }, sources)
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
  const word = /\S*$/.exec(before)?.[0] ?? ''
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
  const items = paths.map((path) => ({
    value: `${lead}${/\s/.test(path) && !isOpen && needsQuotes(lead, path) ? JSON.stringify(path) : path}${end}`,
    label: plainLine(path),
  }))
  return offer(word, items, typed)
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
): AutocompleteProvider {
  return createCompletion({
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
