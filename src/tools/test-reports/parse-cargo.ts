import { clip, countsOf } from './test-report.ts'
import type { TracePlace, Printed, TestFailure, TestReport } from './test-report.ts'

const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/gm
const HEADING = /^---- (.+?) stdout ----$/gm

/** Reads what Rust's test programs print; they have no other form that does not need a nightly compiler. */
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

/** Newer compilers put the place on the line of the panic, older ones behind its message; doc tests name their own. */
function placeOf(message: string, name: string): TracePlace {
  const match =
    /panicked at (?:'[\s\S]*', )?([^\s:']+):(\d+):\d+/.exec(message) ??
    /^([^\s]+\.rs) - .*\(line (\d+)\)$/.exec(name)
  return match === null ? { file: null, line: null } : { file: match[1] ?? null, line: Number(match[2]) }
}
