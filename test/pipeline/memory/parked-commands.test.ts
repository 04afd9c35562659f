import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RuleSetting } from '../../../src/config/rule-types.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

const ONCE: RuleSetting = { tool: 'run_shell', type: 'MaxCalls', max: 1, priority: 0 }
const REST: RuleSetting = { tool: 'run_shell', type: 'Cooldown', seconds: 3_600, priority: 0 }

const touching = (name: string) => ({ id: name, name: 'run_shell', args: { cmd: ['touch', name] } })

async function openWith(b: Bench, rules: readonly RuleSetting[], approve?: RuntimeOptions['approve']) {
  return b.open({
    durability: 'normal',
    config: { 'tools.rules': rules },
    ...(approve === undefined ? {} : { approve }),
  })
}

describe('a command whose changes wait for an answer', () => {
  it('has run, for a cooldown that another process judges', async () => {
    const b = bench({})
    const first = await openWith(b, [REST], 'later')
    const [waiting] = await first.run([touching('one')])
    expect(errorOf(waiting).code).toBe('approval_required')
    await first.close()
    const second = await openWith(b, [REST], 'later')
    const [refused] = await second.run([touching('two')])
    expect(errorOf(refused).details).toMatchObject({ rule: 'Cooldown' })
  })

  it('does not stand in its own way', async () => {
    const b = bench({})
    const first = await openWith(b, [REST, ONCE], 'later')
    await first.run([touching('one')])
    await first.close()
    const second = await openWith(b, [REST, ONCE])
    const { results } = await second.decide('all', { isApproved: true })
    expect(results.map(({ ok }) => ok)).toEqual([true])
    expect(existsSync(join(b.root, 'one'))).toBe(true)
  })

  it.each([ONCE, REST])('has run, also if they are denied: $type', async (rule) => {
    const b = bench({})
    const runtime = await openWith(b, [rule], (requests) => requests.map(() => 'deny'))
    const rows = await runtime.run([touching('one'), touching('two')])
    expect(rows.map((row) => errorOf(row).code)).toEqual(['approval_denied', 'rule_violation'])
  })
})
