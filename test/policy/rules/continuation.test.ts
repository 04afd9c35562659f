import { describe, expect, it } from 'vitest'
import { continuationOf, judgeExit } from '../../../src/policy/rules/continuation.ts'
import { foldPastCall, noteRefusal } from '../../../src/policy/rules/fold-history.ts'
import { NO_HISTORY } from '../../../src/policy/rules/rule-state.ts'
import { bookOf, loop, pastOf } from './rule-bench.ts'

describe('going on', () => {
  it('P-HB: the flags of a result tell who asked for it, and that a wake-up is needed where no rule goes on', () => {
    const book = bookOf([{ tool: 'a', type: 'ContinueLoop' }])
    expect(continuationOf(book, 'a', false, true)).toEqual({
      requests_continuation: false,
      has_continue_rule: true,
      requires_heartbeat: false,
      ends_loop: false,
    })
    expect(continuationOf(book, 'b', true, true)).toEqual({
      requests_continuation: true,
      has_continue_rule: false,
      requires_heartbeat: true,
      ends_loop: false,
    })
  })

  it('the end of a loop is refused, refused with more weight, and then prepared by the runtime', () => {
    const means = { bareTools: new Set(['clean']), mayRunFirst: true }
    const first = judgeExit(loop, NO_HISTORY, means)
    expect(first).toMatchObject({
      is: 'violation',
      rule: 'RequiredBeforeExit',
      reason: 'clean must succeed first',
    })
    expect(first).not.toHaveProperty('details.escalation')
    const again = noteRefusal(NO_HISTORY, 'RequiredBeforeExit')
    expect(judgeExit(loop, again, means)).toHaveProperty('details.escalation', 2)
    const third = noteRefusal(again, 'RequiredBeforeExitIf')
    expect(judgeExit(loop, third, means)).toMatchObject({ is: 'run_first', tools: ['clean'] })
    expect(judgeExit(loop, third, { ...means, mayRunFirst: false })).toHaveProperty('details.escalation', 3)
    expect(judgeExit(loop, third, { ...means, bareTools: new Set() })).toHaveProperty('details.escalation', 3)
    expect(judgeExit(loop, foldPastCall(third, pastOf('clean'), loop), means)).toEqual({ is: 'free' })
  })
})
