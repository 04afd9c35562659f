import { shortLines } from '../../core/text/short-lines.ts'
import { countsOf, findInStack, NOWHERE, readPlace, reportOf } from './test-report.ts'
import type { TracePlace, Printed, TestCase, TestCounts, TestReport } from './test-report.ts'

const RESULT = /^( *)(not ok|ok)\b(?: +\d+)?(?: +- | +|$)(.*)$/s
/** Older versions of Node report tests that were not selected as skipped, for this reason. */
const NOT_CHOSEN = /# SKIP test name does not match pattern$/
const DIRECTIVE = /(?:^|[^\\])# *(SKIP|TODO)\b/i

/** Reads the Test Anything Protocol, as `node --test` and many others write it. */
export function parseTap({ stdout }: Printed): TestReport | null {
  const lines = shortLines(stdout)
  const start = lines.findIndex((line) => /^TAP version 1[34]\s*$/.test(line))
  const isPlanned = lines.some((line) => /^1\.\.\d+/.test(line))
  if (start === -1 && !isPlanned) return null
  const cases: TestCase[] = []
  const groups = createGroups()
  const inside = readBraces(lines)
  let notChosen = 0
  for (let at = Math.max(0, start); at < lines.length; at++) {
    const match = RESULT.exec(lines[at] ?? '')
    if (match === null) continue
    const [, indent = '', verdict, rest = ''] = match
    const { fields, next } = readBlock(lines, at + 1, indent.length)
    const isOk = verdict === 'ok'
    const isGroup = rest.endsWith(' {')
      ? isOk || inside.hasFailure(next, indent)
      : groups.close(indent.length, isOk) && !fields.has('type')
    at = next - 1
    // A suite only groups its tests, which have been counted.
    if (isGroup || fields.get('type') === 'suite' || fields.get('failureType') === 'subtestsFailed') continue
    if (NOT_CHOSEN.test(rest)) notChosen++
    else cases.push(readCase(isOk, rest.replace(/ \{$/, ''), fields))
  }
  const trailer = readTrailer(lines, notChosen)
  if (cases.length === 0 && trailer === null && !isPlanned) return null
  const emptyFiles = cases.filter(
    ({ end, failure }) => end === 'passed' && /\.[cm]?[jt]s$/.test(failure.name),
  ).length
  const report = { ...reportOf(cases), emptyFiles }
  return trailer === null ? report : { ...report, counts: withErrors(trailer, report.counts) }
}

/** Notes which results stand for those inside them, which come before them and are indented. */
function createGroups(): { readonly close: (indent: number, isOk: boolean) => boolean } {
  const open = new Map<number, boolean>()
  return {
    close(indent, isOk) {
      const inside = [...open.keys()].filter((each) => each > indent)
      const areOk = inside.every((each) => open.get(each) === true)
      for (const each of inside) open.delete(each)
      open.set(indent, isOk && open.get(indent) !== false)
      // One that failed by itself, with nothing wrong inside, counts.
      return inside.length > 0 && (isOk || !areOk)
    },
  }
}

/** Tells whether the results in braces after a line contain a failure; each end is looked for once. */
function readBraces(lines: readonly string[]) {
  const ends = new Map<string, number[]>()
  const failures: number[] = []
  for (const [at, line] of lines.entries()) {
    if (/^ *not ok\b/.test(line)) failures.push(at)
    if (!/^ *\}$/.test(line)) continue
    const known = ends.get(line)
    if (known === undefined) ends.set(line, [at])
    else known.push(at)
  }
  return {
    hasFailure(from: number, indent: string): boolean {
      const end = firstFrom(ends.get(`${indent}}`) ?? [], from) ?? Infinity
      return (firstFrom(failures, from) ?? Infinity) < end
    },
  }
}

/** The first of some ascending numbers that is not below another one. */
function firstFrom(ascending: readonly number[], least: number): number | undefined {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return ascending[low]
}

/** Node's closing lines also count what was left out of the output, but do not count errors. */
function withErrors(trailer: TestCounts, { errors }: TestCounts): TestCounts {
  const moved = Math.min(errors, trailer.failed)
  return { ...trailer, failed: trailer.failed - moved, errors: moved }
}

function readCase(isOk: boolean, rest: string, fields: ReadonlyMap<string, string>): TestCase {
  const directive = DIRECTIVE.exec(rest)
  const name = (directive === null ? rest : rest.slice(0, directive.index + 1))
    .replaceAll(/\\([#\\])/g, '$1')
    .trim()
  const place = placeOf(fields)
  const message = fields.get('error') ?? fields.get('message') ?? describeDifference(fields)
  const failure = { name: name === '' ? '(unnamed)' : name, ...place, message }
  if (directive !== null) return { end: 'skipped', failure }
  if (isOk) return { end: 'passed', failure }
  return { end: fields.has('exitCode') ? 'errors' : 'failed', failure }
}

/** What an assertion says if it has no message. */
function describeDifference(fields: ReadonlyMap<string, string>): string {
  return ['assertion', 'operator', 'diff', 'expected', 'actual', 'found', 'wanted']
    .flatMap((name) => {
      const value = fields.get(name) ?? ''
      return value === '' ? [] : [`${name}: ${value}`]
    })
    .join('\n')
}

function inBrackets(at: string): string | undefined {
  const start = at.indexOf('(')
  return start !== -1 && at.endsWith(')') ? at.slice(start + 1, -1) : undefined
}

/** Where the test failed, if the stack names the test's file; otherwise where the test is defined. */
function placeOf(fields: ReadonlyMap<string, string>): TracePlace {
  const at = fields.get('at') ?? ''
  const location = readPlace(fields.get('location') ?? inBrackets(at) ?? at)
  const file = fields.get('fileName') ?? fields.get('file')
  if (location.file === null && file !== undefined)
    return { file, line: Number(fields.get('lineNumber') ?? fields.get('line') ?? NaN) || null }
  if (location.file === null) return NOWHERE
  return findInStack(fields.get('stack') ?? '', location.file) ?? location
}

/** Reads the block of fields that may follow a result; only plain, quoted and literal values. */
function readBlock(
  lines: readonly string[],
  from: number,
  indent: number,
): { readonly fields: ReadonlyMap<string, string>; readonly next: number } {
  const fields = new Map<string, string>()
  const outer = indent + 2
  if (lines[from]?.trimEnd() !== `${' '.repeat(outer)}---`) return { fields, next: from }
  // Some indent the fields once more.
  const margin = Math.max(outer, (lines[from + 1] ?? '').search(/\S/))
  let at = from + 1
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trimEnd() === `${' '.repeat(outer)}...`) return { fields, next: at + 1 }
    // A place may be a table of its own.
    const match = /^(?: {2}(?=(?:fileName|lineNumber|file|line):))?(\w+): ?(.*)$/.exec(line.slice(margin))
    if (match === null || line.slice(0, margin).trim() !== '') continue
    const [, key = '', value = ''] = match
    if (!/^[|>]-?$/.test(value)) {
      fields.set(key, unquote(value))
      continue
    }
    const literal: string[] = []
    while (at + 1 < lines.length && isInside(lines[at + 1] ?? '', margin + 2)) {
      at++
      literal.push((lines[at] ?? '').slice(margin + 2))
    }
    fields.set(key, literal.join('\n').trimEnd())
  }
  return { fields, next: at }
}

function isInside(line: string, margin: number): boolean {
  return line.trim() === '' || line.startsWith(' '.repeat(margin))
}

function unquote(value: string): string {
  const quoted = /^'(.*)'$|^"(.*)"$/s.exec(value.trim())
  return quoted === null ? value.trim() : (quoted[1] ?? quoted[2] ?? '').replaceAll("\\'", "'")
}

/**
 * Node ends with its counts, one comment each, right after the plan; a test's own output may look the same but comes
 * earlier.
 */
function readTrailer(lines: readonly string[], notChosen: number): TestCounts | null {
  const plan = lines.findLastIndex((line) => /^1\.\.\d+/.test(line))
  if (plan === -1) return null
  const counts = new Map<string, number>()
  for (const line of lines.slice(plan + 1)) {
    const match = /^# (tests|pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line)
    if (match !== null) counts.set(match[1] ?? '', Number(match[2]))
  }
  const of = (name: string): number => counts.get(name) ?? 0
  if (!counts.has('tests') || !counts.has('pass') || !counts.has('fail')) return null
  return countsOf({
    passed: of('pass'),
    failed: of('fail') + of('cancelled'),
    skipped: Math.max(0, of('skipped') - notChosen) + of('todo'),
  })
}
