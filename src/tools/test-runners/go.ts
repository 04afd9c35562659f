import type { Selection, TestRunner } from './test-runner.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { reportOf, textIn } from '../test-reports/test-report.ts'
import type { Printed, TestCase, TestEnd, TestReport, TracePlace } from '../test-reports/test-report.ts'

/** Go's own test command. */
export const go: TestRunner = {
  name: 'go',
  looksFor: 'go.mod',
  detect: (project) =>
    project.has('go.mod') ? { is: 'found', argv: ['go', 'test'], why: 'there is go.mod' } : null,
  recognises: (argv) => /(^|\/)go$/.test(argv[0] ?? '') && argv[1] === 'test',
  compose: ([program = 'go', , ...rest], selection) => ({
    ok: true,
    argv: [
      program,
      'test',
      ...(rest.includes('-json') ? [] : ['-json']),
      ...(selection.is === 'name' ? [`-run=${selection.text}`] : []),
      ...rest,
      ...packagesOf(rest, selection),
    ],
  }),
  parse: parseGo,
  machineStream: 'stdout',
}

/** A file belongs to the package of its folder. */
function packagesOf(rest: readonly string[], selection: Selection): readonly string[] {
  if (selection.is !== 'path') return rest.some((word) => !word.startsWith('-')) ? [] : ['./...']
  const { path, isFolder } = selection
  if (isFolder) return [`./${path}/...`]
  return [path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.']
}

const ENDS: Readonly<Record<string, TestEnd>> = { pass: 'passed', fail: 'failed', skip: 'skipped' }

/** Reads the events of `go test -json`, or otherwise the lines of `go test -v`. */
export function parseGo({ stdout, stderr }: Printed): TestReport | null {
  const cases = parseEvents(stdout, stderr) ?? parseLines(stdout)
  return cases === null ? null : reportOf(cases)
}

function parseEvents(stdout: string, stderr: string): readonly TestCase[] | null {
  const printed = new Map<string, string[]>()
  const ends = new Map<string, { readonly pack: string; readonly test: string; readonly end: TestEnd }>()
  const broken = new Map<string, string>()
  let isReport = false
  for (const line of stdout.split('\n')) {
    const event = readEvent(line)
    if (event === null) {
      // Older versions have no event for this.
      const pack = /^FAIL\s+(\S+) \[(?:build|setup) failed\]$/.exec(line)?.[1]
      if (pack !== undefined) broken.set(pack, '')
      continue
    }
    isReport = true
    const { action, pack, test, output } = event
    const key = `${pack}\n${test}`
    if (action === 'output' || action === 'build-output') {
      const lines = printed.get(key)
      if (lines === undefined) printed.set(key, [output])
      else lines.push(output)
      continue
    }
    const end = ENDS[action]
    if (end === undefined) continue
    if (test !== '') ends.set(key, { pack, test, end })
    else if (end === 'failed') broken.set(pack, event.build)
  }
  if (!isReport) return null
  const parents = new Set(
    [...ends.values()].map(({ pack, test }) => `${pack}\n${test.slice(0, test.lastIndexOf('/'))}`),
  )
  const cases = [...ends].flatMap(([key, { pack, test, end }]): readonly TestCase[] => {
    if (parents.has(key)) return []
    const message = cleanLines(printed.get(key) ?? [])
    return [{ end, failure: { name: `${pack}.${test}`, ...placeOf(message), message } }]
  })
  const failing = new Set([...ends.values()].filter(({ end }) => end === 'failed').map(({ pack }) => pack))
  for (const [pack, build] of broken) {
    if (failing.has(pack)) continue
    const keys = new Set([`${build}\n`, `${pack}\n`])
    const words = cleanLines([...keys].flatMap((key) => printed.get(key) ?? []))
    const message = words === '' ? stderr : words
    cases.push({ end: 'errors', failure: { name: pack, ...placeOf(message), message } })
  }
  return cases
}

interface GoEvent {
  readonly action: string
  readonly pack: string
  readonly test: string
  readonly output: string
  /** The package whose build failed. */
  readonly build: string
}

function readEvent(line: string): GoEvent | null {
  if (!line.startsWith('{"')) return null
  try {
    const parsed: unknown = JSON.parse(line)
    if (!isJsonObject(parsed) || typeof parsed['Action'] !== 'string') return null
    return {
      action: parsed['Action'],
      pack: textIn(parsed['Package']) || textIn(parsed['ImportPath']),
      test: textIn(parsed['Test']),
      output: textIn(parsed['Output']),
      build: textIn(parsed['FailedBuild']),
    }
  } catch {
    return null
  }
}

function parseLines(stdout: string): readonly TestCase[] | null {
  const found = [...stdout.matchAll(/^( *)--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)\n((?:\1 {4,}.*\n)*)/gm)]
  const names = new Set(found.map(([, , , name = '']) => name.slice(0, name.lastIndexOf('/'))))
  const cases = found
    .filter(([, , , name = '']) => !names.has(name))
    .map(([, , verdict = '', name = '', body = '']): TestCase => {
      const message = cleanLines([body])
      const end = ENDS[verdict.toLowerCase()] ?? 'errors'
      return { end, failure: { name, ...placeOf(message), message } }
    })
  return cases.length === 0 ? null : cases
}

function cleanLines(lines: readonly string[]): string {
  return lines
    .join('')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*(=== |--- )/.test(line))
    .map((line) => line.trim())
    .join('\n')
}

/** Go names files without their folder. */
function placeOf(message: string): TracePlace {
  const match = /^(\S+\.go):(\d+):/m.exec(message)
  return match === null ? { file: null, line: null } : { file: match[1] ?? null, line: Number(match[2]) }
}
