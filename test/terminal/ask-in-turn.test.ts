import { describe, expect, it } from 'vitest'
import type { ApprovalAnswers, Asking } from '../../src/core/approval.ts'
import { askInTurn } from '../../src/terminal/ask-in-turn.ts'
import { requestOf } from '../harness/sample-request.ts'

function asking(signal = new AbortController().signal): Asking {
  return { signal, seconds: 300, grantSeconds: 600 }
}

describe('questions that come at the same moment', () => {
  it('are asked one after the other, each with the time that is left for it', async () => {
    const open: { readonly id: string; readonly seconds: number; readonly answer: () => void }[] = []
    const ask = askInTurn<Asking>(
      ([request], { seconds }) =>
        new Promise<ApprovalAnswers>((resolve) => {
          open.push({ id: request?.id ?? '', seconds, answer: () => resolve(['once']) })
        }),
      () => performance.now(),
    )
    const first = ask([requestOf({ id: 'a' })], asking())
    const second = ask([requestOf({ id: 'b' })], asking())
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(open.map(({ id }) => id)).toEqual(['a'])
    open[0]?.answer()
    expect(await first).toEqual(['once'])
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(open.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(open[1]?.seconds).toBeLessThan(300)
    open[1]?.answer()
    expect(await second).toEqual(['once'])
  })

  it('are not asked if nobody waits for them any more, and one that fails does not hold up the next', async () => {
    const asked: string[] = []
    const ask = askInTurn<Asking>(
      async ([request]) => {
        asked.push(request?.id ?? '')
        if (request?.id === 'a') throw new Error('the terminal is gone')
        return ['once']
      },
      () => performance.now(),
    )
    const gone = new AbortController()
    const first = ask([requestOf({ id: 'a' })], asking())
    const second = ask([requestOf({ id: 'b' })], asking(gone.signal))
    const third = ask([requestOf({ id: 'c' })], asking())
    gone.abort('silence')
    await expect(first).rejects.toThrow('the terminal is gone')
    expect([await second, await third]).toEqual(['later', ['once']])
    expect(asked).toEqual(['a', 'c'])
  })
})
