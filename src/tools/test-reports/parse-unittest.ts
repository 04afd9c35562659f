import { clip, countsOf } from './test-report.ts'
import type { Printed, TestFailure, TestReport } from './test-report.ts'

const RAN = /^Ran (\d{1,9}) tests? in [\d.]+s$/gm
const ENDED = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/m
const HEADING = /^={70}\n(FAIL|ERROR|UNEXPECTED SUCCESS): (.*)\n(?:.*\n){0,5}?-{70}\n/gm
const FILE = /^ {2}File "(.+)", line (\d{1,9})/gm

/** Reads what Python's unittest prints at its end. */
export function parseUnittest({ stdout, stderr }: Printed): TestReport | null {
  for (const text of [stderr, stdout]) {
    const ran = [...text.matchAll(RAN)].at(-1)
    const ended = ran === undefined ? null : ENDED.exec(text.slice(ran.index))
    if (ran === undefined || ended === null) continue
    const parts = new Map(
      [...(ended[1] ?? '').matchAll(/(?<![a-z ])([a-z ]+)=(\d{1,9})/g)].map(([, name = '', count]) => [
        name.trim(),
        Number(count),
      ]),
    )
    const of = (name: string): number => parts.get(name) ?? 0
    const failed = of('failures') + of('unexpected successes')
    const skipped = of('skipped') + of('expected failures')
    const passed = Math.max(0, Number(ran[1]) - failed - of('errors') - skipped)
    return {
      counts: countsOf({ passed, failed, errors: of('errors'), skipped }),
      failures: readFailures(text.slice(0, ran.index)),
    }
  }
  return null
}

function readFailures(text: string): readonly TestFailure[] {
  return [...text.matchAll(HEADING)].map((heading): TestFailure => {
    const rest = text.slice(heading.index + heading[0].length)
    const end = rest.search(/^(?:={70}|-{70})$/m)
    const trace = end === -1 ? rest : rest.slice(0, end)
    const frames = [...trace.matchAll(FILE)].map(([, file = '', line]) => ({ file, line: Number(line) }))
    // The innermost frame of the tests; the framework's own come after it.
    const own = frames.findLast(({ file }) => !/\/unittest\/|<frozen/.test(file))
    return {
      name: heading[2] ?? '',
      file: own?.file ?? null,
      line: own?.line ?? null,
      message: clip(messageOf(trace)),
    }
  })
}

/** What follows the last frame; all of it if there are none. */
function messageOf(trace: string): string {
  const lines = trace.trim().split('\n')
  const last = lines.findLastIndex((line) => /^ {2}File "/.test(line))
  const from = lines.findIndex((line, at) => at > last && /^\S/.test(line))
  return (last === -1 || from === -1 ? lines : lines.slice(from)).join('\n').trim()
}
