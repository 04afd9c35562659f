import { Buffer } from 'node:buffer'
import type { SearchVisitor } from '../../core/powers.ts'
import type { RipgrepReader } from '../../host/search/ripgrep-output.ts'
import { exactName, readableName } from '../../host/root/exact-name.ts'
import { absoluteOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import { readSmall, unlessRefused } from './read-small.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Where a search starts: the path that was asked for, and the same path without links. */
export interface Start {
  readonly asked: string
  readonly rel: string
}

/** What is needed to decide which matches may be shown. */
export interface VerifiedReaderOptions {
  readonly root: Root
  readonly starts: readonly Start[]
  readonly sandbox: Sandbox
  readonly visitor: SearchVisitor
  readonly maxFileBytes: number
}

/** Receives the output of ripgrep, also over several runs. */
export interface VerifiedReader extends RipgrepReader {
  /** Prepares for another run that prints the same again, after a run was stopped. */
  readonly beginAgain: () => void
  /** How many matches of a file have been passed on so far; Infinity if the file is done. */
  readonly passedOn: (path: string) => number
}

/**
 * Ripgrep reads by path, so its output may come from outside: a link may have replaced a folder for a moment. A match is
 * shown only if the file, opened through the root, has the same bytes at the same position.
 */
export function createVerifiedReader(options: VerifiedReaderOptions): VerifiedReader {
  const { root, starts, sandbox, visitor, maxFileBytes } = options
  const seen = new Set<string>()
  const opened = new Map<string, number>()
  let current = ''
  let bytes: Uint8Array = new Uint8Array(0)
  /** Ripgrep counts positions without the byte order mark. */
  let textStart = 0
  let latest = { rel: '', rows: 0 }
  let interrupted: typeof latest | null = null
  let rowsToSkip = 0

  return {
    file(latin1Path) {
      const rel = exactName(latin1Path)
      const isResumed = rel === interrupted?.rel
      if (seen.has(rel) && !isResumed) return false
      seen.add(rel)
      rowsToSkip = isResumed ? (interrupted?.rows ?? 0) : 0
      if (isResumed) interrupted = null
      latest = { rel, rows: 0 }
      if (sandbox.findDeny(root, rel, 'read') !== null) return false
      const asked = askedPath(rel, starts)
      const path = readableName(asked)
      if (!visitor.includes(path)) return false
      const read = unlessRefused(() => readSmall(root, rel, maxFileBytes))
      // It was opened without following a link, so it lies where its name says.
      const place = path === asked ? absoluteOf(root.path, rel) : undefined
      if (read === null || !visitor.open(path, read, place)) return false
      if (current !== path) opened.set(current, Infinity)
      current = path
      if (!isResumed) opened.set(path, 0)
      bytes = read
      textStart = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
      return true
    },
    row(line, offset, text) {
      latest.rows++
      if (latest.rows <= rowsToSkip) return 'more'
      const from = offset + textStart
      const to = from + text.length
      const isSame = to <= bytes.length && Buffer.compare(bytes.subarray(from, to), text) === 0
      if (!isSame) return 'more'
      opened.set(current, (opened.get(current) ?? 0) + 1)
      return visitor.match(line, from, to)
    },
    beginAgain() {
      interrupted = latest
    },
    passedOn: (path) => opened.get(path) ?? 0,
  }
}

/** The path in terms of the start that was asked for, which may be a link. */
function askedPath(rel: string, starts: readonly Start[]): string {
  const holds = (start: Start): boolean =>
    start.rel === '' || rel === start.rel || rel.startsWith(`${start.rel}/`)
  const start = starts.find((one) => holds(one) && one.asked === one.rel) ?? starts.find(holds)
  if (start === undefined || start.asked === start.rel) return rel
  const below = start.rel === '' ? rel : rel.slice(start.rel.length + 1)
  return below === '' ? start.asked : `${start.asked}/${below}`
}
