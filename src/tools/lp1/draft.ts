import type { FileLines, LineEnding } from './file-lines.ts'
import { endsInNewline, majorityEnding, sealLines } from './file-lines.ts'

/**
 * A run of adjacent lines. Edits move only the lines of one page, so that thousands of edits on a large file stay
 * cheap.
 */
export type Page = { index: number; texts: string[]; endings: (LineEnding | '')[] }

/** A position in a page: the lines from `offset` on. */
export type LinePlace = { readonly page: Page; readonly offset: number }

/** Where a text that an operation searches for occurs: how often in total, and on each page. */
export type Occurrences = { total: number; readonly perPage: Map<Page, number> }

/** A file while operations are applied; the final newline is remembered even while there are no lines. */
export type Draft = {
  readonly hasBom: boolean
  readonly newEnding: LineEnding
  readonly pageLines: number
  readonly pages: [Page, ...Page[]]
  readonly occurrences: ReadonlyMap<string, Occurrences>
  /** The lengths of the texts that are searched for: most lines have another, and need not be compared. */
  readonly lengths: ReadonlySet<number>
  endsInNewline: boolean
  lineCount: number
}

const LEAST_PAGE_LINES = 256
// A block may have more lines than a function call can take arguments.
const MOST_ARGUMENTS = 1024

/** Opens a file, or one that does not exist yet, for operations that search for the given texts. */
export function openDraft(file: FileLines | null, searched: Iterable<string>): Draft {
  const found = new Map<string, Occurrences>()
  for (const text of searched) found.set(text, { total: 0, perPage: new Map() })
  const first: Page = { index: 0, texts: [], endings: [] }
  const draft: Draft = {
    hasBom: file?.hasBom ?? false,
    newEnding: file === null ? '\n' : majorityEnding(file),
    // The square root keeps both the number of pages and their length small.
    pageLines: Math.max(LEAST_PAGE_LINES, Math.ceil(Math.sqrt(file?.texts.length ?? 0))),
    pages: [first],
    occurrences: found,
    lengths: new Set([...found.keys()].map((text) => text.length)),
    endsInNewline: file === null || endsInNewline(file),
    lineCount: 0,
  }
  if (file !== null) fill(draft, first, file)
  return draft
}

function fill(draft: Draft, page: Page, { texts, endings }: FileLines): void {
  page.texts = [...texts]
  page.endings = [...endings]
  countOccurrences(draft, page, texts, 1)
  draft.lineCount = texts.length
  if (texts.length > 2 * draft.pageLines) splitPage(draft, page)
}

/** The file as the operations left it. */
export function closeDraft(draft: Draft): FileLines {
  const endings = draft.pages.flatMap((page) => page.endings)
  const { hasBom, newEnding } = draft
  return sealLines({ hasBom, texts: textsOf(draft), endings, endsInNewline: draft.endsInNewline, newEnding })
}

/** All lines, in order. */
export function textsOf(draft: Draft): string[] {
  return draft.pages.flatMap((page) => page.texts)
}

/** The place before the first line, or after the last. */
export function edgeOf(draft: Draft, edge: 'start' | 'end'): LinePlace {
  const [first] = draft.pages
  if (edge === 'start') return { page: first, offset: 0 }
  const last = draft.pages.at(-1) ?? first
  return { page: last, offset: last.texts.length }
}

/** The place `count` lines further down, but never past the end. */
export function advance(draft: Draft, place: LinePlace, count: number): LinePlace {
  let { page } = place
  let offset = place.offset + count
  while (offset > page.texts.length) {
    const next = draft.pages[page.index + 1]
    if (next === undefined) return { page, offset: page.texts.length }
    offset -= page.texts.length
    page = next
  }
  return { page, offset }
}

/** Removes `count` lines from a place on; the place remains valid for an insertion. */
export function removeLines(draft: Draft, place: LinePlace, count: number): void {
  let page: Page | undefined = place.page
  let { offset } = place
  for (let left = count; left > 0 && page !== undefined; page = draft.pages[page.index + 1]) {
    const gone = page.texts.splice(offset, left)
    page.endings.splice(offset, left)
    countOccurrences(draft, page, gone, -1)
    left -= gone.length
    draft.lineCount -= gone.length
    offset = 0
  }
}

/** Inserts lines at a place; they get the file's own ending when the draft is closed. */
export function insertLines(draft: Draft, place: LinePlace, texts: readonly string[]): void {
  const { page, offset } = place
  if (texts.length === 0) return
  for (let at = 0; at < texts.length; at += MOST_ARGUMENTS) {
    const some = texts.slice(at, at + MOST_ARGUMENTS)
    page.texts.splice(offset + at, 0, ...some)
    page.endings.splice(offset + at, 0, ...some.map(() => '' as const))
  }
  countOccurrences(draft, page, texts, 1)
  draft.lineCount += texts.length
  if (page.texts.length > 2 * draft.pageLines) splitPage(draft, page)
}

function splitPage(draft: Draft, page: Page): void {
  const { pageLines } = draft
  const added: Page[] = []
  for (let at = pageLines; at < page.texts.length; at += pageLines) {
    const texts = page.texts.slice(at, at + pageLines)
    const part: Page = { index: 0, texts, endings: page.endings.slice(at, at + pageLines) }
    countOccurrences(draft, page, texts, -1)
    countOccurrences(draft, part, texts, 1)
    added.push(part)
  }
  page.texts.length = pageLines
  page.endings.length = pageLines
  const after = draft.pages.splice(page.index + 1)
  for (const moved of [...added, ...after]) moved.index = draft.pages.push(moved) - 1
}

function countOccurrences(draft: Draft, page: Page, texts: readonly string[], step: 1 | -1): void {
  if (draft.occurrences.size === 0) return
  const { occurrences, lengths } = draft
  for (const text of texts) {
    const found = lengths.has(text.length) ? occurrences.get(text) : undefined
    if (found === undefined) continue
    found.total += step
    const here = (found.perPage.get(page) ?? 0) + step
    if (here === 0) found.perPage.delete(page)
    else found.perPage.set(page, here)
  }
}
