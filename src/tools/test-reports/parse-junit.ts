import { reportOf } from './test-report.ts'
import type { Printed, TestCase, TestReport } from './test-report.ts'

/** Reads JUnit XML, as pytest writes it, on either stream. */
export function parseJunit({ stdout, stderr }: Printed): TestReport | null {
  for (const text of [stderr, stdout]) {
    const start = text.lastIndexOf('<testsuites')
    const end = text.lastIndexOf('</testsuites>')
    if (start === -1 || end < start) continue
    return reportOf(elements(text.slice(start, end), 'testcase').map(readCase))
  }
  return null
}

interface Element {
  readonly attributes: string
  readonly body: string
}

/** The elements of one name; elements of that name are never nested. */
function elements(xml: string, name: string): readonly Element[] {
  const found: Element[] = []
  const open = `<${name}`
  const close = `</${name}>`
  for (let at = xml.indexOf(open); at !== -1; at = xml.indexOf(open, at)) {
    const from = at + open.length
    const tag = xml.indexOf('>', from)
    if (tag === -1) break
    const isEmpty = xml[tag - 1] === '/'
    const end = isEmpty ? tag : xml.indexOf(close, tag)
    if (end === -1) break
    found.push({ attributes: xml.slice(from, tag), body: isEmpty ? '' : xml.slice(tag + 1, end) })
    at = end
  }
  return found
}

const MISHAPS = ['error', 'failure', 'skipped'] as const

function readCase({ attributes, body }: Element): TestCase {
  const of = readAttributes(attributes)
  const kind = MISHAPS.find((name) => elements(body, name).length > 0)
  const { attributes: about = '', body: text = '' } =
    (kind === undefined ? undefined : elements(body, kind)[0]) ?? {}
  const classname = of('classname')
  const line = of('line')
  const words = [readAttributes(about)('message'), decode(text)].filter((part) => part.trim() !== '')
  const failure = {
    name: classname === '' ? of('name') : `${classname}.${of('name')}`,
    file: of('file') === '' ? null : of('file'),
    // If pytest names a line, it counts from 0 and it is the line of the test; the trace is more precise.
    line: lineInTrace(decode(text), of('file')) ?? (line === '' ? null : Number(line) + 1),
    message: words.at(-1) ?? '',
  }
  if (kind === undefined) return { end: 'passed', failure }
  return { end: kind === 'skipped' ? 'skipped' : kind === 'error' ? 'errors' : 'failed', failure }
}

/** The last line of the trace that is in the test's own file, as in `tests/test_a.py:5: AssertionError`. */
function lineInTrace(text: string, file: string): number | null {
  if (file === '') return null
  const place = text
    .split('\n')
    .findLast((line) => line.startsWith(`${file}:`) && /^\d+:/.test(line.slice(file.length + 1)))
  return place === undefined ? null : Number.parseInt(place.slice(file.length + 1), 10)
}

function readAttributes(text: string): (name: string) => string {
  const found = new Map(
    [...text.matchAll(/(?<![\w:.-])([\w:.-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decode(value),
    ]),
  )
  return (name) => found.get(name) ?? ''
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decode(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|quot|apos|amp));/gi,
    (whole, dec, hex, word) => {
      if (typeof word === 'string') return ENTITIES[word.toLowerCase()] ?? whole
      const code = typeof dec === 'string' ? Number(dec) : Number.parseInt(String(hex), 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
