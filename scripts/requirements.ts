import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EXEMPT, judgeRequirements } from './requirement-check.ts'
import type { Judgement, OpenList, Requirement } from './requirement-check.ts'
import {
  closeRequirements,
  readEarlierOpenLists,
  readOpenList,
  readRequirements,
  readTests,
} from './requirement-files.ts'
import { TOP } from './run-tool.ts'
import { RESULTS, runTests } from './run-tests.ts'

if (import.meta.main) {
  if (!isFresh(RESULTS)) runTests([])
  process.exitCode = checkRequirements(RESULTS, process.argv.includes('--update')) ? 0 : 1
}

/** Prints what the tests of a report prove; true if nothing has to be put right. */
export function checkRequirements(results: string, mayClose: boolean): boolean {
  if (!existsSync(results)) {
    console.error('There is no report of a test run to look at: the tests did not get as far as writing one.')
    return false
  }
  const requirements = readRequirements(TOP)
  const tests = readTests(TOP, results)
  const isStrict = process.env['CI'] === 'true'
  const earlier = readEarlierOpenLists(TOP)
  let now = readOpenList(TOP)
  let judgement = judgeRequirements({ requirements, now, earlier, tests, isStrict })
  if (mayClose && judgement.closable.length > 0) {
    now = closeRequirements(TOP, judgement.closable)
    console.log(`closed: ${judgement.closable.join(', ')}`)
    judgement = judgeRequirements({ requirements, now, earlier, tests, isStrict })
  }
  console.log(renderTable(requirements, judgement, now))
  for (const fault of judgement.faults) console.error(`requirements: ${fault}`)
  return judgement.faults.length === 0
}

function renderTable(requirements: readonly Requirement[], judgement: Judgement, now: OpenList): string {
  const lines = [row('part', 'asked', 'proven', 'open')]
  for (const [part, members] of Map.groupBy(requirements, (one) => one.part)) {
    const proven = members.filter(({ id }) => judgement.proven.has(id)).length
    const open = members.filter(({ id }) => id in now.open).length
    const note = now.resolvedParts.includes(part) ? '  resolved' : part === EXEMPT ? '  no test asked' : ''
    lines.push(row(part, members.length, proven, open) + note)
  }
  return lines.join('\n')
}

function row(part: string, ...cells: readonly (string | number)[]): string {
  return part.padEnd(14) + cells.map((cell) => String(cell).padStart(8)).join('')
}

/** Whether the report is younger than everything the tests look at. */
function isFresh(results: string): boolean {
  if (!existsSync(results)) return false
  const reported = statSync(results).mtimeMs
  const inputs = globSync(['{src,test,scripts,bin,docs,data}/**', '*.{json,ts,md}'], { cwd: TOP })
  return inputs.every((name) => statSync(join(TOP, name)).mtimeMs < reported)
}
