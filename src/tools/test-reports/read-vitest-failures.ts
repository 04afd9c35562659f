import { shortLines } from '../../core/text/short-lines.ts'
import { clip } from './test-report.ts'
import type { TestCase } from './test-report.ts'

const BAR = '⎯'
const HEADING = /^⎯+ Failed (Suites|Tests) \d{1,9} ⎯+$/
const FOOTER = /^⎯+\[\d{1,9}\/\d{1,9}\]⎯+$/
const FAILED = /^ FAIL {2}(?:\|[^|]*\| )?(.+)$/
const FRAME = ' ❯ '
/** No trace is longer, and each test that failed in the same way looks for its file in it. */
const MOST_FRAMES = 100
/** A line of the code excerpt, or the marker below it. */
const CODE = /^ +\d*\|/

/** Reads the failures that vitest lists for people: tests, and files and hooks that failed as errors. */
export function readVitestFailures(text: string): readonly TestCase[] {
  let cases: TestCase[] = []
  let section: string | null = null
  let block: string[] = []
  for (const line of shortLines(text)) {
    if (!line.startsWith(BAR)) {
      if (section !== null) block.push(line)
      continue
    }
    const heading = HEADING.exec(line)?.[1]
    if (heading !== undefined) {
      // A run lists its suites once, and then its tests once; anything earlier was printed by a test.
      if (heading === 'Suites' || section === heading) cases = []
      section = heading
      block = []
    } else if (FOOTER.test(line)) {
      if (section !== null) cases.push(...readBlock(block, section === 'Suites' ? 'errors' : 'failed'))
      block = []
    } else block.push(line)
  }
  return cases
}

/** Tests that failed in the same way are listed together and share what follows. */
function readBlock(block: readonly string[], end: TestCase['end']): readonly TestCase[] {
  const lines = block.slice(block.findIndex((line) => line !== ''))
  const count = [...lines, ''].findIndex((line) => !FAILED.test(line))
  const titles = lines.slice(0, count)
  const rest = lines.slice(titles.length)
  const message = clip(messageOf(rest))
  const frames = rest.filter((line) => line.startsWith(FRAME)).slice(0, MOST_FRAMES)
  return titles.map((title) => {
    const { file, name } = splitTitle(FAILED.exec(title)?.[1] ?? '')
    return { end, failure: { name, file, line: lineIn(frames, file), message } }
  })
}

/** `file > suite > name`, or `file [ file ]` if the whole file failed. */
function splitTitle(title: string): { readonly file: string; readonly name: string } {
  const [file = '', ...names] = title.split(' > ')
  if (names.length > 0) return { file, name: names.join(' > ') }
  const whole = title.split(' [ ')[0] ?? title
  return { file: whole, name: whole }
}

/** The line of the first stack frame in a file. */
function lineIn(frames: readonly string[], file: string): number | null {
  for (const line of frames) {
    const place = /:(\d{1,9}):\d{1,9}$/.exec(line)
    if (place !== null && line.slice(0, place.index).endsWith(` ${file}`)) return Number(place[1])
  }
  return null
}

/** Everything but the code excerpt, which can be looked up. */
function messageOf(lines: readonly string[]): string {
  const stack = lines.findIndex((line) => line.startsWith(FRAME))
  return lines
    .filter((line, at) => stack === -1 || at < stack || !CODE.test(line))
    .join('\n')
    .trim()
}
