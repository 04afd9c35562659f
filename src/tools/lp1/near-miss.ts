import type { NearMiss } from './lp1-error.ts'
import { quoteText, shortenText } from './lp1-error.ts'

/** How many lines of a long find block, and how many places for it, are compared. */
const WEIGHED_LINES = 64
const WEIGHED_PLACES = 256
const SHOWN_CHARS = 200
const LEAST_SIMILARITY = 0.6

/** Names the line of the file that a find block most likely meant but did not match. */
export function findNearMiss(find: readonly string[], texts: readonly string[]): NearMiss | undefined {
  const start = findBestStart(find, texts)
  if (start === undefined) return findSimilar(find, texts)
  const missAt = find.findIndex((text, index) => text !== texts[start + index])
  if (missAt < 0) return undefined
  const text = texts[start + missAt]
  if (text === undefined) return describeEdge(texts, start)
  const wanted = find[missAt] ?? ''
  return nearMiss(
    start + missAt,
    text,
    `${describe(wanted, text)} line ${missAt + 1} of the find block, ${quoteText(wanted)}${hintAtDot(wanted, text)}`,
  )
}

/** The writer of a patch easily forgets that a block needs one more dot than the file has. */
function hintAtDot(wanted: string, text: string): string {
  if (!wanted.startsWith('.') || text !== `.${wanted}`) return ''
  return `; a line that begins with a dot gets one more, so this one is written ${quoteText(`.${text}`)}`
}

type Closeness = 'equal' | 'blanks' | 'case' | 'other'
const WEIGHTS: Readonly<Record<Closeness, number>> = { equal: 4, blanks: 3, case: 2, other: 0 }

function compare(wanted: string, text: string | undefined): Closeness {
  if (text === undefined) return 'other'
  if (wanted === text) return 'equal'
  const [one, other] = [dropBlanks(wanted), dropBlanks(text)]
  if (one === other) return 'blanks'
  return one.toLowerCase() === other.toLowerCase() ? 'case' : 'other'
}

function describe(wanted: string, text: string): string {
  const closeness = compare(wanted, text)
  if (closeness === 'blanks') return 'differs only in white space from'
  return closeness === 'case' ? 'differs only in upper and lower case from' : 'is in the place of'
}

/** Where the block would begin if it were placed where most of its lines match. */
function findBestStart(find: readonly string[], texts: readonly string[]): number | undefined {
  const head = find.slice(0, WEIGHED_LINES)
  const places = new Map<string, number[]>(head.map((text) => [looseKey(text), []]))
  for (const [index, text] of texts.entries()) {
    const found = places.get(looseKey(text))
    if (found !== undefined && found.length < WEIGHED_PLACES) found.push(index)
  }
  const anchors = head
    .map((text, index) => ({ index, isBlank: dropBlanks(text) === '', at: places.get(looseKey(text)) ?? [] }))
    .filter((anchor) => anchor.at.length > 0)
    .toSorted((one, other) => Number(one.isBlank) - Number(other.isBlank) || one.at.length - other.at.length)
  const [anchor] = anchors
  if (anchor === undefined || (anchor.isBlank && head.some((text) => dropBlanks(text) !== '')))
    return undefined
  let best: { start: number; weight: number } | undefined
  for (const at of anchor.at) {
    const start = at - anchor.index
    const weight = head.reduce((sum, text, index) => sum + WEIGHTS[compare(text, texts[start + index])], 0)
    if (best === undefined || weight > best.weight) best = { start, weight }
  }
  return best?.start
}

/** The block matches the file as far as it goes, but extends past its first or last line. */
function describeEdge(texts: readonly string[], start: number): NearMiss {
  if (start < 0) return nearMiss(0, texts[0] ?? '', `is the first line, but the find block goes on above it`)
  return nearMiss(
    texts.length - 1,
    texts.at(-1) ?? '',
    `is the last line, but the find block goes on below it`,
  )
}

function findSimilar(find: readonly string[], texts: readonly string[]): NearMiss | undefined {
  const lineAt = find.findIndex((text) => dropBlanks(text) !== '')
  const wanted = find[lineAt]?.trim()
  if (wanted === undefined) return undefined
  let best = { index: -1, similarity: LEAST_SIMILARITY }
  for (const [index, text] of texts.entries()) {
    const similarity = rateSimilarity(wanted.toLowerCase(), text.trim().toLowerCase())
    if (similarity > best.similarity) best = { index, similarity }
  }
  const text = texts[best.index]
  if (text === undefined) return undefined
  return nearMiss(
    best.index,
    text,
    `is the most similar to line ${lineAt + 1} of the find block, ${quoteText(wanted)}${hintAtDot(wanted, text)}`,
  )
}

/** How much of the longer text is prefix or suffix common to both, from 0 to 1. */
function rateSimilarity(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let begin = 0
  while (begin < shorter && one.charCodeAt(begin) === other.charCodeAt(begin)) begin += 1
  let end = 0
  while (
    end < shorter - begin &&
    one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)
  ) {
    end += 1
  }
  return (begin + end) / Math.max(one.length, other.length, 1)
}

function nearMiss(index: number, text: string, why: string): NearMiss {
  return { line: index + 1, text: shortenText(text, SHOWN_CHARS), why }
}

function dropBlanks(text: string): string {
  return text.replaceAll(/\s+/gu, '')
}

function looseKey(text: string): string {
  return dropBlanks(text).toLowerCase()
}
