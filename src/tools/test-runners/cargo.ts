import type { Composed, Selection, TestRunner } from './test-runner.ts'
import { clip, countsOf } from '../test-reports/test-report.ts'
import type { Printed, TestFailure, TestReport, TracePlace } from '../test-reports/test-report.ts'

/** Cargo's own test command. */
export const cargo: TestRunner = {
  name: 'cargo',
  looksFor: 'Cargo.toml',
  detect: (project) =>
    project.has('Cargo.toml') ? { is: 'found', argv: ['cargo', 'test'], why: 'there is Cargo.toml' } : null,
  recognises: (argv) => /(^|\/)cargo$/.test(argv[0] ?? '') && (argv[1] === 'test' || argv[1] === 't'),
  compose,
  parse: parseCargo,
}

function compose(
  [program = 'cargo', verb = 'test', ...rest]: readonly string[],
  selection: Selection,
): Composed {
  const end = rest.indexOf('--')
  const own = end === -1 ? rest : rest.slice(0, end)
  const others = end === -1 ? [] : rest.slice(end)
  const options = ['--no-fail-fast', '--color=never']
  const filter = filterOf(selection)
  if (filter.startsWith('-') && !filter.startsWith(PROGRAM))
    return { ok: false, problem: 'the name of a Rust test does not begin with a hyphen' }
  return {
    ok: true,
    argv: [program, verb, ...options, ...own, ...(filter === '' ? [] : [filter]), ...others],
  }
}

const PROGRAM = '--test='

/** Cargo knows files only as the names of whole test programs; anything else is part of a test's name. */
function filterOf(selection: Selection): string {
  if (selection.is === 'all') return ''
  if (selection.is === 'name') return selection.text
  const program = /(?:^|\/)tests\/([\w-]+)\.rs$/.exec(selection.path)?.[1]
  return program === undefined
    ? selection.path.replace(/^.*\//, '').replace(/\.rs$/, '')
    : `${PROGRAM}${program}`
}

const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/gm
const HEADING = /^---- (.+?) stdout ----$/gm

/** Reads the output of Rust's test programs; other formats need a nightly compiler. */
export function parseCargo({ stdout }: Printed): TestReport | null {
  const results = [...stdout.matchAll(RESULT)]
  if (results.length === 0) return null
  const sum = (index: number): number =>
    results.reduce((total, match) => total + Number(match[index] ?? 0), 0)
  return {
    counts: countsOf({ passed: sum(1), failed: sum(2), skipped: sum(3) }),
    failures: readFailures(stdout),
  }
}

function readFailures(stdout: string): readonly TestFailure[] {
  return [...stdout.matchAll(HEADING)].map((heading): TestFailure => {
    const rest = stdout.slice(heading.index + heading[0].length)
    const end = rest.search(/^(?:---- .+ stdout ----|failures:)$/m)
    const message = clip((end === -1 ? rest : rest.slice(0, end)).trim())
      .replaceAll(/^note: run with `RUST_BACKTRACE.*$/gm, '')
      .trim()
    return { name: heading[1] ?? '', ...placeOf(message, heading[1] ?? ''), message }
  })
}

/**
 * Newer compilers put the location on the line of the panic, older ones after its message; doc tests name their own.
 */
function placeOf(message: string, name: string): TracePlace {
  const match =
    /panicked at (?:'[\s\S]*', )?([^\s:']+):(\d+):\d+/.exec(message) ??
    /^([^\s]+\.rs) - .*\(line (\d+)\)$/.exec(name)
  return match === null ? { file: null, line: null } : { file: match[1] ?? null, line: Number(match[2]) }
}
