import * as fc from 'fast-check'
import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { arrived, goOnWith, raceAbort, runFlow, waitFor } from '../../src/core/wait.ts'
import type { Flow, Soon } from '../../src/core/wait.ts'
import { roundsOf } from '../harness/long-run.ts'

const A_DAY_MS = 86_400_000

describe('an abortable wait', () => {
  it('says true once the time is over, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    expect(await waitFor(1)).toBe(true)
    expect(await waitFor(1, signal)).toBe(true)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends with false as soon as the signal aborts', async () => {
    const stop = new AbortController()
    const waiting = waitFor(A_DAY_MS, stop.signal)
    stop.abort()
    expect(await waiting).toBe(false)
    expect(await waitFor(A_DAY_MS, stop.signal)).toBe(false)
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  })

  it('is not cut short by a time that no timer can hold', async () => {
    const stop = new AbortController()
    const waiting = waitFor(100 * A_DAY_MS, stop.signal)
    expect(await Promise.race([waiting, waitFor(5).then(() => 'still waiting')])).toBe('still waiting')
    stop.abort()
    expect(await waiting).toBe(false)
  })

  it('goes by a clock that can sleep, and fails with it', async () => {
    const slept: number[] = []
    const clock = { sleep: async (ms: number): Promise<void> => void slept.push(ms) }
    expect(await waitFor(A_DAY_MS, undefined, clock)).toBe(true)
    expect(slept).toEqual([A_DAY_MS])
    const broken = { sleep: () => Promise.reject(new Error('no power')) }
    await expect(waitFor(A_DAY_MS, undefined, broken)).rejects.toThrow('no power')
  })

  it('stops waiting for a clock when the signal aborts, even if the clock fails later', async () => {
    const stop = new AbortController()
    const sleep = Promise.withResolvers<void>()
    const waiting = waitFor(A_DAY_MS, stop.signal, { sleep: () => sleep.promise })
    stop.abort()
    expect(await waiting).toBe(false)
    sleep.reject(new Error('no power'))
    await expect(sleep.promise).rejects.toThrow('no power')
  })
})

describe('work that may be abandoned', () => {
  it('gives its result or its error, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    expect(await raceAbort(Promise.resolve('done'), signal)).toBe('done')
    await expect(raceAbort(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('fails with the reason of the signal, whatever the work does then', async () => {
    const stop = new AbortController()
    const work = Promise.withResolvers<string>()
    const racing = raceAbort(work.promise, stop.signal)
    stop.signal.addEventListener('abort', () => work.reject(new Error('the connection was closed')))
    const reason = new Error('the user stopped it')
    stop.abort(reason)
    await expect(racing).rejects.toBe(reason)
    await expect(raceAbort(new Promise(() => undefined), stop.signal)).rejects.toBe(reason)
  })

  it('prefers the reason if the work noticed the signal first', async () => {
    const stop = new AbortController()
    const work = Promise.withResolvers<string>()
    stop.signal.addEventListener('abort', () => work.reject(new Error('the connection was closed')))
    const racing = raceAbort(work.promise, stop.signal)
    const reason = new Error('the user stopped it')
    stop.abort(reason)
    await expect(racing).rejects.toBe(reason)
  })
})

describe('what is there at once, or promised', () => {
  it('goes on in the same turn if it is there, and when it arrives if it is promised', async () => {
    const done: string[] = []
    const note = (value: string): string => {
      done.push(value)
      return value
    }
    expect(goOnWith('there', note)).toBe('there')
    const promised = goOnWith(Promise.resolve('promised'), note)
    expect(done).toEqual(['there'])
    expect(await promised).toBe('promised')
    expect(done).toEqual(['there', 'promised'])
  })

  it('passes a failure on without going on', async () => {
    const never = (): never => {
      throw new Error('went on')
    }
    await expect(goOnWith(Promise.reject(new Error('failed')), never)).rejects.toThrow('failed')
  })
})

/** One stage of some work: what it comes to, and whether that is there at once. */
interface Stage {
  readonly comes: 'at once' | 'promised' | 'late'
  readonly fails: boolean
}

const stage: fc.Arbitrary<Stage> = fc.record({
  comes: fc.constantFrom('at once', 'at once', 'promised', 'late'),
  fails: fc.boolean(),
})

/** Begins a stage: a fault that is there at once is thrown, as a function that is not async does. */
function begin({ comes, fails }: Stage, at: number): Soon<number> {
  const fault = new Error(`stage ${at}`)
  if (comes === 'at once') {
    if (fails) throw fault
    return at
  }
  const after = comes === 'late' ? new Promise<void>((done) => setImmediate(done)) : Promise.resolve()
  return after.then(() => {
    if (fails) throw fault
    return at
  })
}

describe('work that waits only for what is promised', () => {
  // The same work twice: once as an async function, which is how the language itself does it.
  async function byLanguage(stages: readonly Stage[], isCaught: boolean, said: string[]): Promise<number> {
    let sum = 0
    try {
      for (const [at, one] of stages.entries()) {
        said.push(`begin ${at}`)
        try {
          sum += await begin(one, at)
        } catch (fault) {
          said.push(`fault ${String(fault)}`)
          if (!isCaught) throw fault
        }
      }
      return sum
    } finally {
      await begin({ comes: stages[0]?.comes ?? 'at once', fails: false }, 0)
      said.push('finally')
    }
  }

  function* byFlow(stages: readonly Stage[], isCaught: boolean, said: string[]): Flow<number> {
    let sum = 0
    try {
      for (const [at, one] of stages.entries()) {
        said.push(`begin ${at}`)
        try {
          sum += yield* arrived(begin(one, at))
        } catch (fault) {
          said.push(`fault ${String(fault)}`)
          if (!isCaught) throw fault
        }
      }
      return sum
    } finally {
      yield* arrived(begin({ comes: stages[0]?.comes ?? 'at once', fails: false }, 0))
      said.push('finally')
    }
  }

  const endOf = async (run: () => Soon<number>): Promise<unknown> => {
    try {
      return await run()
    } catch (fault) {
      return String(fault)
    }
  }

  it('takes its stages in order, fails and is tidied up as an async function would, whatever is promised', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stage, { maxLength: 6 }), fc.boolean(), async (stages, isCaught) => {
        const [said, expected]: [string[], string[]] = [[], []]
        const end = await endOf(() => runFlow(byFlow(stages, isCaught, said)))
        expect(end).toBe(await endOf(() => byLanguage(stages, isCaught, expected)))
        expect(said).toEqual(expected)
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it('is done at once if nothing is promised, faults included', () => {
    const said: string[] = []
    const soon = { comes: 'at once', fails: false } as const
    expect(runFlow(byFlow([soon, soon, soon], false, said))).toBe(3)
    expect(said).toEqual(['begin 0', 'begin 1', 'begin 2', 'finally'])
    expect(() => runFlow(byFlow([soon, { ...soon, fails: true }], false, said))).toThrow('stage 1')
    expect(said.slice(4)).toEqual(['begin 0', 'begin 1', 'fault Error: stage 1', 'finally'])
  })

  it('goes on only when what it waits for is there, and others have their turn meanwhile', async () => {
    const said: string[] = []
    const gate = Promise.withResolvers<void>()
    function* work(): Flow<void> {
      said.push('before')
      yield* arrived(gate.promise)
      said.push('after')
    }
    const done = runFlow(work())
    expect(done).toBeInstanceOf(Promise)
    await waitFor(1)
    said.push('meanwhile')
    gate.resolve()
    await done
    expect(said).toEqual(['before', 'meanwhile', 'after'])
  })
})
