import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { benchAskingBefore, outputOf } from '../../bench-folder.ts'
import { batchOf } from '../sample-tools.ts'
import { tool } from './rule-stage.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }

/** A call of run_tests whose runner prints this report and ends with this code. */
const tests = (id: string, report: string, code = 0) => ({
  id,
  name: 'run_tests',
  args: { command: ['sh', '-c', `printf '%b' '${report}'; exit ${code}`] },
})

const FAILING = tests('1', String.raw`1..2\nok 1 - a\nnot ok 2 - b\n`, 1)
const NONE = tests('2', String.raw`1..0\n`)
const SKIPPED = tests('3', String.raw`1..1\nok 1 - a # SKIP\n`)
const BROKEN = tests('4', String.raw`1..1\nok 1 - a\n`, 3)
const PASSING = tests('5', String.raw`1..1\nok 1 - a\n`)

async function open(rules: readonly object[]) {
  const config = { 'tools.rules': rules, 'tools.shell.ask': 'before' }
  return benchAskingBefore().open({ ...agreed, tools: [tool('deploy')], config })
}

describe('a rule that requires run_tests to succeed', () => {
  it.each([
    ['a test failed', FAILING],
    ['every test was skipped', SKIPPED],
    ['the runner failed', BROKEN],
  ])('is not met if %s, and is met by a run that passes', async (_why, call) => {
    const runtime = await open([{ tool: 'run_tests', type: 'RequiredBeforeExit' }])
    const [result] = await runtime.run([call], { session: 's', turn: 't1' })
    outputOf(result)
    const end = await runtime.finishTurn({ session: 's', turn: 't1' })
    expect(end).toMatchObject({ mayEnd: false, missing: ['run_tests'] })
    outputOf((await runtime.run([PASSING], { session: 's', turn: 't1' }))[0])
    expect(await runtime.finishTurn({ session: 's', turn: 't1' })).toMatchObject({ mayEnd: true })
  })

  it('is not met by a run without a test, which is an error', async () => {
    const runtime = await open([{ tool: 'run_tests', type: 'RequiredBeforeExit' }])
    const [result] = await runtime.run([NONE], { session: 's', turn: 't1' })
    expect(result?.ok === false && result.error.code).toBe('execution_failed')
    const end = await runtime.finishTurn({ session: 's', turn: 't1' })
    expect(end).toMatchObject({ mayEnd: false, missing: ['run_tests'] })
  })

  it('holds before another tool too, and the run still counts as one', async () => {
    const runtime = await open([{ tool: 'deploy', type: 'RequiresPrecedingTools', tools: ['run_tests'] }])
    const [, early] = await runtime.run([FAILING, ...batchOf(['deploy'])], { session: 's', turn: 't1' })
    expect(early?.ok === false && early.error.code).toBe('rule_violation')
    const [, late] = await runtime.run([PASSING, ...batchOf(['deploy'])], { session: 's', turn: 't1' })
    expect(late?.ok).toBe(true)
  })
})
