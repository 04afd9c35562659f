import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { SearchRequest, SearchVisitor } from '../../core/powers.ts'
import { canSeeOpenFiles, findRipgrep, runRipgrep } from '../../host/search/ripgrep.ts'
import type { RipgrepEnd } from '../../host/search/ripgrep.ts'
import { ripgrepArgs } from '../../host/search/ripgrep-args.ts'
import type { Root } from '../../host/root/root.ts'
import { joinRel, showPath } from '../../host/root/rel-path.ts'
import { startTextMatcher } from '../../host/search/text-matcher.ts'
import { unlessRefused } from './read-small.ts'
import { readRegexFault } from './regex-fault.ts'
import type { Located, Sandbox } from '../sandbox/sandbox.ts'
import { createVerifiedReader } from './verified-reader.ts'
import type { Start } from './verified-reader.ts'

/** How often the visitor is told that the search is still running. */
const TICK_MS = 1_000

/** What a search needs. */
export interface SearchTools {
  readonly sandbox: Sandbox
  /** Locates a path; null if it is outside or denied. */
  readonly locate: (path: string) => Located | null
  readonly peek: (path: string, maxBytes: number) => Uint8Array | null
}

/** Roots in which a search met a file that is too large: the next search checks sizes from the start. */
const rootsWithLargeFiles = new WeakSet<Root>()

/** Finds text in files, with ripgrep if it is available, else file by file. */
export async function searchFiles(
  tools: SearchTools,
  request: SearchRequest,
  visitor: SearchVisitor,
): Promise<void> {
  const timer = setInterval(visitor.tick, TICK_MS)
  try {
    const program = request.isBuiltIn ? null : await findRipgrep()
    request.signal.throwIfAborted()
    const rest = program === null ? ALL : await searchWith(program, tools, request, visitor)
    if (rest !== null) await searchByHand(tools, request, visitor, rest)
  } finally {
    clearInterval(timer)
  }
}

/** How many matches of a file have been reported already; Infinity if the whole file is done. */
type PassedOn = (path: string) => number

const ALL: PassedOn = () => 0

/** Runs ripgrep in the root; returns what is left to search file by file, or null for nothing. */
async function searchWith(
  program: string,
  tools: SearchTools,
  request: SearchRequest,
  visitor: SearchVisitor,
): Promise<PassedOn | null> {
  const [root] = tools.sandbox.roots
  const starts = request.starts.flatMap((asked): readonly Start[] => {
    const at = tools.locate(asked === '' ? '.' : asked)
    return at !== null && at.root === root && isSearchable(at, request) ? [{ asked, rel: at.rel }] : []
  })
  if (starts.length === 0) return null
  const reader = createVerifiedReader({
    root,
    starts,
    sandbox: tools.sandbox,
    visitor,
    maxFileBytes: request.maxFileBytes,
  })
  const readsIgnoreFiles = starts.every(({ rel }) => hasPlainIgnoreFiles(root, rel, request.ignoreFiles))
  const run = (checksSizes: boolean): Promise<RipgrepEnd> => {
    const rels = starts.map(({ rel }) => rel)
    const choices = { checksSizes, readsIgnoreFiles }
    const args = ripgrepArgs(request, rels, tools.sandbox.deniedPatterns, choices)
    const { signal, maxFileBytes, ignoreFiles } = request
    return root.lendFolder('', (folder) =>
      runRipgrep({ program, args, folder, reader, signal, maxFileBytes, checksSizes, ignoreFiles }),
    )
  }
  const checksSizes = !canSeeOpenFiles || rootsWithLargeFiles.has(root)
  let end = await run(checksSizes)
  if (end.is === 'too_large') {
    rootsWithLargeFiles.add(root)
    reader.beginAgain()
    end = await run(true)
  }
  if (end.is === 'done') checkEnd(end, request)
  if (end.is === 'unavailable') return ALL
  return end.is === 'stuck' ? reader.passedOn : null
}

/** Ripgrep reads an ignore file whatever it is: a device without end, or rules that take it a minute to compile. */
function hasPlainIgnoreFiles(
  root: Root,
  folder: string,
  { names, maxBytes }: SearchRequest['ignoreFiles'],
): boolean {
  return names.every((name) => {
    const stat = unlessRefused(() => root.stat(joinRel(folder, name)))
    return stat === null || (stat.kind === 'file' && stat.size <= maxBytes)
  })
}

/** Ripgrep reads whatever is named on its command line, so files are checked first. */
function isSearchable({ root, rel, kind }: Located, { maxFileBytes }: SearchRequest): boolean {
  if (kind !== 'file') return kind === 'dir'
  const stat = root.stat(rel)
  return stat?.kind === 'file' && stat.size <= maxFileBytes
}

function checkEnd({ end, stderr }: Extract<RipgrepEnd, { is: 'done' }>, { query }: SearchRequest): void {
  // 0 and 1 mean matches or none; 2 without a message means that some folder could not be read.
  if (end === 0 || end === 1 || (end === 2 && stderr === '')) return
  const fault = readRegexFault(stderr, query)
  if (fault !== null) throw badPattern(query, fault.why, fault.position)
  const said = showPath(stderr.trim().slice(0, 200))
  throw failure(
    'execution_failed',
    `The search ended early (${end}): ${stderr === '' ? 'no error message' : said}.`,
    {},
    ['Search part of the tree with include_paths.'],
  )
}

function badPattern(query: string, why: string, position: number | null): ToolFailure {
  const where = position === null ? '' : `, at character ${position}`
  return failure(
    'bad_args',
    `query is not a regular expression that can be used: ${why}${where} of ${showPath(query)}.`,
    { argument: 'query', why, position },
    ['Correct the pattern, or leave is_regex out to search for the text as it is.'],
  )
}

/** Searches the files one by one: slower, but without another program. */
async function searchByHand(
  tools: SearchTools,
  request: SearchRequest,
  visitor: SearchVisitor,
  passedOn: PassedOn,
): Promise<void> {
  const started = startTextMatcher({ ...request, maxMatches: request.maxLinesPerFile }, request.signal)
  if (!started.ok) throw badPattern(request.query, started.why, null)
  const { matcher } = started
  try {
    await request.eachFile(async (path) => {
      const done = passedOn(path)
      const bytes = done === Infinity ? null : tools.peek(path, request.maxFileBytes)
      if (bytes === null || !visitor.open(path, bytes)) return true
      const found = await matcher.match(bytes)
      for (let at = 3 * done; at + 2 < found.length; at += 3) {
        const step = visitor.match(found[at] ?? 0, found[at + 1] ?? 0, found[at + 2] ?? 0)
        if (step !== 'more') return step !== 'stop'
      }
      return true
    })
  } finally {
    matcher.close()
  }
}
