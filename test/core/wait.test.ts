import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { goOnWith, raceAbort, waitFor } from '../../src/core/wait.ts'

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
