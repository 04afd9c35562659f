import type { Draft, Page, LinePlace, Occurrences } from './draft.ts'

/** Finds where the run of lines occurs, from top to bottom, skipping the first `skip` matches. */
export function* findRun(draft: Draft, run: readonly string[], skip = 0): Generator<LinePlace, void> {
  const rarest = findRarest(draft, run)
  if (rarest === undefined) return
  let left = skip
  for (const page of pagesInOrder(rarest.found)) {
    const here = rarest.found.perPage.get(page) ?? 0
    if (run.length === 1 && here <= left) {
      left -= here
      continue
    }
    for (let at = page.texts.indexOf(rarest.text); at >= 0; at = page.texts.indexOf(rarest.text, at + 1)) {
      const start = goBack(draft, page, at - rarest.index)
      if (start === undefined || !matchesAt(draft, start, run)) continue
      if (left === 0) yield start
      else left -= 1
    }
  }
}

/** The line numbers of places, counted from 1. */
export function lineNumbersOf(draft: Draft, places: readonly LinePlace[]): number[] {
  const linesBefore: number[] = []
  let total = 0
  for (const page of draft.pages) {
    linesBefore.push(total)
    total += page.texts.length
  }
  return places.map(({ page, offset }) => (linesBefore[page.index] ?? 0) + offset + 1)
}

type Rarest = { readonly text: string; readonly index: number; readonly found: Occurrences }

/** The line of the run with the fewest places to try; undefined if one of its lines does not occur at all. */
function findRarest(draft: Draft, run: readonly string[]): Rarest | undefined {
  let rarest: Rarest | undefined
  for (const [index, text] of run.entries()) {
    const found = draft.occurrences.get(text)
    if (found === undefined || found.total === 0) return undefined
    if (rarest === undefined || found.total < rarest.found.total) rarest = { text, index, found }
  }
  return rarest
}

function pagesInOrder(found: Occurrences): Page[] {
  return [...found.perPage.keys()].toSorted((one, other) => one.index - other.index)
}

/** Turns an offset that may be before its page into a place. */
function goBack(draft: Draft, from: Page, fromOffset: number): LinePlace | undefined {
  let page = from
  let offset = fromOffset
  while (offset < 0) {
    const before = draft.pages[page.index - 1]
    if (before === undefined) return undefined
    page = before
    offset += page.texts.length
  }
  return { page, offset }
}

function matchesAt(draft: Draft, start: LinePlace, run: readonly string[]): boolean {
  let page: Page | undefined = start.page
  let { offset } = start
  for (const text of run) {
    while (page !== undefined && offset >= page.texts.length) {
      page = draft.pages[page.index + 1]
      offset = 0
    }
    if (page === undefined || page.texts[offset] !== text) return false
    offset += 1
  }
  return true
}
