import { settingsOf } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import { PATH_SLIPS } from './define/slip-names.ts'
import { failure } from '../core/error.ts'
import type { Files } from '../core/powers.ts'
import { showPath } from '../core/text/display/show-path.ts'
import type { PowersOf } from '../core/tool.ts'
import { hintAtPaths } from './finding/nearest-path.ts'
import { array, boolean, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { readingTool } from './define/tool-families.ts'
import { createIgnoreNotes } from './finding/ignore-notes.ts'
import { walkFiles } from './finding/walk-files.ts'
import type { Scope } from './finding/walk-files.ts'
import { grammarOf } from './outlining/grammars.ts'
import { hasLineRule, outlineLines } from './outlining/outline-lines.ts'
import { symbolSchema } from './outlining/code-symbol.ts'
import type { CodeSymbol } from './outlining/code-symbol.ts'
import { fitList } from './reading/fit-list.ts'
import { rowPath } from './rendering/row-path.ts'
import { renderSymbols } from './rendering/symbol-text.ts'

const input = object(
  { path: string('A file or folder, relative to the root', { minLength: 1 }) },
  'Whose symbols to list',
)

const output = object(
  {
    files: array(
      object(
        {
          path: string('Path relative to the root'),
          symbols: array(symbolSchema, 'What it defines, by line'),
        },
        'One file',
      ),
      'The files with symbols, sorted by path',
    ),
    truncated: boolean('Whether there are more'),
    more: optional(string('If there are more, how to see them')),
    notes: optional(
      array(string('Which file, and why'), 'Files that were not outlined, or ignore files not honoured'),
    ),
  },
  'The symbols that were found',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Larger files are generated as a rule. */
const MAX_FILE_BYTES = 512 * 1024
/** Of a folder; parsing more takes longer than a call should. */
const MAX_FILES = 200

/** Lists what files define. */
export const outline = defineTool({
  name: 'outline',
  version: '1.0.0',
  description: 'List functions, classes and other symbols of a file, or of all files in a folder, with lines',
  ...readingTool,
  input,
  output,
  slips: {
    names: { ...PATH_SLIPS, directory: 'path' },
    tool: ['symbols', 'document_symbols'],
  },
  deterministic: true,
  claims: ({ path }) => [{ path, intent: 'read' }],
  rebase: ({ path }, move) => ({ path: move(path) }),
  summary: ({ path }) => `Outline ${showPath(path)}`,
  present: { text: renderSymbols, mayTruncate: false },
  run: hintAtPaths(async ({ path }: Args, powers: PowersOf['read']): Promise<Result> => {
    const { files, settings: view, maxOutputBytes, signal } = powers
    const settings = settingsOf(view)
    const ignored = createIgnoreNotes()
    const found = files.follow(path)
    if (found?.kind !== 'dir') {
      const file = files.open(path)
      const outlined: Outlined =
        file.size > MAX_FILE_BYTES
          ? { ok: false, why: TOO_LARGE }
          : await outlineOne(files, path, file.readAll(MAX_FILE_BYTES))
      if (!outlined.ok) throw unparsed(path, outlined.why)
      const shown = found?.path ?? path
      return fit([{ path: shown, symbols: outlined.symbols }], maxOutputBytes, {
        notes: [],
        isCut: false,
        more: (last) =>
          `read_file shows ${showPath(shown)} from line ${last + 1} on, search finds a name in it`,
      })
    }
    const start = found.path === '.' ? '' : found.path
    const paths: string[] = []
    const request = {
      start,
      scope: VISIBLE,
      maxDepth: Infinity,
      followLinks: false,
      patterns: settings['tools.ignore.patterns'],
      budget: { left: settings['tools.walk.max_entries'] },
      signal,
      notes: ignored,
    }
    const isAll = await walkFiles(files, request, (file) => {
      if (grammarOf(file.path) !== null || hasLineRule(file.path)) paths.push(file.path)
      return paths.length <= MAX_FILES
    })
    const rows: FileSymbols[] = []
    const notes: string[] = []
    for (const one of paths.slice(0, MAX_FILES)) {
      signal.throwIfAborted()
      const bytes = files.peek(one, MAX_FILE_BYTES)
      const isLarge = bytes === null && (files.follow(one)?.size ?? 0) > MAX_FILE_BYTES
      const outlined: Outlined =
        bytes === null
          ? { ok: false, why: isLarge ? TOO_LARGE : 'it could not be read' }
          : await outlineOne(files, one, bytes)
      if (!outlined.ok) notes.push(`${rowPath(one)} was not outlined: ${outlined.why}`)
      else if (outlined.symbols.length > 0) rows.push({ path: one, symbols: outlined.symbols })
    }
    return fit(rows, maxOutputBytes, {
      notes: [...notes, ...(ignored.field().notes ?? [])],
      isCut: !isAll,
      more: () => 'outline a smaller folder or a single file',
    })
  }),
})

const TOO_LARGE = `it is larger than ${MAX_FILE_BYTES} bytes`

interface FileSymbols {
  readonly path: string
  readonly symbols: readonly CodeSymbol[]
}

/** The symbols of a file, or why there are none. */
type Outlined =
  | { readonly ok: true; readonly symbols: readonly CodeSymbol[] }
  | { readonly ok: false; readonly why: string }

async function outlineOne(files: Files, path: string, bytes: Uint8Array): Promise<Outlined> {
  const grammar = grammarOf(path)
  if (grammar === null && !hasLineRule(path)) return { ok: false, why: 'no grammar fits it' }
  const text = decode(bytes)
  if (text === null) return { ok: false, why: 'it is not UTF-8 text' }
  if (grammar === null) return { ok: true, symbols: outlineLines(path, text) }
  const { opens, ends, passes, wrapped, assigned } = grammar
  const request = {
    grammar: grammar.name,
    text,
    opens: Object.keys(opens),
    ends: Object.keys(ends),
    passes,
    ...(assigned === undefined ? {} : { assigned: assigned.values }),
  }
  const found = await files.outline(request)
  const nodes =
    found?.length === 0 && wrapped !== undefined
      ? await files.outline({
          ...request,
          ends: wrapped.finds,
          passes: passes.filter((type) => !wrapped.within.includes(type)),
        })
      : found
  if (nodes === null) return { ok: false, why: 'it could not be parsed' }
  const symbols = nodes.map(({ type, name, startLine, endLine, depth }) => ({
    name,
    kind: opens[type] ?? ends[type] ?? assigned?.kinds[type] ?? type,
    line: startLine,
    end_line: endLine,
    depth,
  }))
  return { ok: true, symbols }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function unparsed(path: string, why: string) {
  return failure('execution_failed', `${path} cannot be outlined: ${why}.`, { path }, [
    'Use search with a pattern for what you look for, or read_file.',
  ])
}

/** What a result says besides its symbols. */
interface Rest {
  readonly notes: readonly string[]
  readonly isCut: boolean
  /** How to see what is missing after the line of the last symbol. */
  readonly more: (lastLine: number) => string
}

/** Drops symbols from the end until the result fits. */
function fit(rows: readonly FileSymbols[], maxBytes: number, { notes, isCut, more }: Rest): Result {
  const flat = rows.flatMap(({ path, symbols }) => symbols.map((symbol) => ({ path, symbol })))
  return fitList(flat, maxBytes, (fitting, isShortened) => {
    const truncated = isCut || isShortened
    return {
      files: [...Map.groupBy(fitting, ({ path }) => path)].map(([path, found]) => ({
        path,
        symbols: found.map(({ symbol }) => symbol),
      })),
      truncated,
      ...(truncated ? { more: more(fitting.at(-1)?.symbol.line ?? 0) } : {}),
      ...(notes.length === 0 ? {} : { notes }),
    }
  })
}

const VISIBLE: Scope = {
  includes: (name) => !name.startsWith('.'),
  enter: (name) => (name.startsWith('.') ? null : VISIBLE),
}
