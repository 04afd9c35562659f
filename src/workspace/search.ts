import { Buffer } from 'node:buffer'
import { failure } from '../core/error.ts'
import type { ToolFailure } from '../core/error.ts'
import type { SearchRequest, SearchVisitor } from '../core/powers.ts'
import { findRipgrep, runRipgrep } from '../host/ripgrep.ts'
import type { RipgrepEnd } from '../host/ripgrep.ts'
import { ripgrepArgs } from '../host/ripgrep-args.ts'
import type { RipgrepReader } from '../host/ripgrep-output.ts'
import { exactName, readableName } from '../host/root/exact-name.ts'
import type { Root } from '../host/root/root.ts'
import { showPath } from '../host/root/show-path.ts'
import { startTextMatcher } from '../host/text-matcher.ts'
import { readSmall, unlessRefused } from './read-small.ts'
import { readRegexFault } from './regex-fault.ts'
import type { Located, Sandbox } from './sandbox.ts'

const TICK_MS = 1_000

/** What a search needs. */
export interface SearchTools {
  readonly sandbox: Sandbox
  /** Where a path leads, or null if that is nowhere inside, or denied. */
  readonly locate: (path: string) => Located | null
  readonly peek: (path: string, maxBytes: number) => Uint8Array | null
}

/** A place to begin at: the path that was asked for, and the one without links. */
interface Start {
  readonly asked: string
  readonly rel: string
}

/** Finds text in files, with the search program where there is one, else by hand. */
export async function searchFiles(
  tools: SearchTools,
  request: SearchRequest,
  visitor: SearchVisitor,
): Promise<void> {
  const timer = setInterval(visitor.tick, TICK_MS)
  try {
    const program = request.isBuiltIn ? null : await findRipgrep()
    request.signal.throwIfAborted()
    if (program !== null && (await searchWith(program, tools, request, visitor))) return
    await searchByHand(tools, request, visitor)
  } finally {
    clearInterval(timer)
  }
}

/** Runs the search program in the root; false if it cannot be started. */
async function searchWith(
  program: string,
  tools: SearchTools,
  request: SearchRequest,
  visitor: SearchVisitor,
): Promise<boolean> {
  const [root] = tools.sandbox.roots
  const starts = request.starts.flatMap((asked): readonly Start[] => {
    const at = tools.locate(asked === '' ? '.' : asked)
    return at !== null && at.root === root && at.kind !== 'missing' ? [{ asked, rel: at.rel }] : []
  })
  if (starts.length === 0) return true
  const args = ripgrepArgs(
    request,
    starts.map(({ rel }) => rel),
  )
  const reader = readMatches(root, starts, tools.sandbox, request, visitor)
  const end = await root.lendFolder('', (folder) => runRipgrep(program, args, folder, reader, request.signal))
  if (end.is === 'done') checkEnd(end, request)
  return end.is !== 'unavailable'
}

/**
 * The program reads by path, so what it prints may come from anywhere by the time it is read: a link may have taken a
 * folder's place. A match is shown only if the file, opened through the root, has the same bytes at the same place.
 */
function readMatches(
  root: Root,
  starts: readonly Start[],
  sandbox: Sandbox,
  request: SearchRequest,
  visitor: SearchVisitor,
): RipgrepReader {
  const seen = new Set<string>()
  let bytes: Uint8Array = new Uint8Array(0)
  let offsetOfText = 0
  return {
    file(latin1Path) {
      const rel = exactName(latin1Path)
      if (seen.has(rel)) return false
      seen.add(rel)
      if (sandbox.findDeny(root, rel, 'read') !== null) return false
      const path = readableName(askedPath(rel, starts))
      if (!visitor.wants(path)) return false
      const read = unlessRefused(() => readSmall(root, rel, request.maxFileBytes))
      if (read === null || !visitor.open(path, read)) return false
      bytes = read
      // Places are counted without the byte order mark.
      offsetOfText = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
      return true
    },
    row(line, offset, text) {
      const from = offset + offsetOfText
      const to = from + text.length
      const isSame = to <= bytes.length && Buffer.compare(bytes.subarray(from, to), text) === 0
      return isSame ? visitor.match(line, from, to) : 'more'
    },
  }
}

/** The path as it would be written below the start that was asked for, which may be a link. */
function askedPath(rel: string, starts: readonly Start[]): string {
  const holds = (start: Start): boolean =>
    start.rel === '' || rel === start.rel || rel.startsWith(`${start.rel}/`)
  const start = starts.find((one) => holds(one) && one.asked === one.rel) ?? starts.find(holds)
  if (start === undefined || start.asked === start.rel) return rel
  const below = rel.slice(start.rel.length).replace(/^\//, '')
  return below === '' ? start.asked : `${start.asked}/${below}`
}

function checkEnd({ end, stderr }: Extract<RipgrepEnd, { is: 'done' }>, { query }: SearchRequest): void {
  // 0 and 1 tell whether there were matches; 2 without a word means that some folder could not be read.
  if (end === 0 || end === 1 || (end === 2 && stderr === '')) return
  const fault = readRegexFault(stderr, query)
  if (fault !== null) throw badPattern(query, fault.why, fault.position)
  const said = showPath(stderr.trim().slice(0, 200))
  throw failure(
    'execution_failed',
    `The search ended early (${end}): ${stderr === '' ? 'it said nothing' : said}.`,
    {},
    ['Search a part of the tree with include_paths.'],
  )
}

function badPattern(query: string, why: string, position: number | null): ToolFailure {
  const where = position === null ? '' : `, at character ${position}`
  return failure(
    'bad_args',
    `query is not a regular expression that can be searched for: ${why}${where} of ${showPath(query)}.`,
    { argument: 'query', why, position },
    ['Correct the pattern, or leave is_regex out to search for the text as it is.'],
  )
}

/** Goes through the files one by one: slower, but it needs nothing beyond what is here. */
async function searchByHand(
  tools: SearchTools,
  request: SearchRequest,
  visitor: SearchVisitor,
): Promise<void> {
  const started = startTextMatcher({ ...request, maxMatches: request.maxLinesPerFile }, request.signal)
  if (!started.ok) throw badPattern(request.query, started.why, null)
  const { matcher } = started
  try {
    await request.eachFile(async (path) => {
      const bytes = tools.peek(path, request.maxFileBytes)
      if (bytes === null || !visitor.open(path, bytes)) return true
      const found = await matcher.match(bytes)
      for (let at = 0; at + 2 < found.length; at += 3) {
        const step = visitor.match(found[at] ?? 0, found[at + 1] ?? 0, found[at + 2] ?? 0)
        if (step !== 'more') return step !== 'stop'
      }
      return true
    })
  } finally {
    matcher.close()
  }
}
