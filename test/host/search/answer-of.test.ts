import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { answerOf } from '../../../src/host/search/answer-of.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const tooSlow = (): Error => new Error('too slow')

function start(code: string): Worker {
  const worker = new Worker(code, { eval: true, env: {} })
  cleanUpWith(async () => {
    await worker.terminate()
  })
  return worker
}

const ask = (worker: Worker, mostMs = PATIENCE_MS, signal = new AbortController().signal) =>
  answerOf<unknown>(worker, { signal, mostMs, tooSlow })

it('a worker is asked until it answers, fails, ends, is cancelled or takes too long, and is not listened to after that', async () => {
  const answering = start(`require('node:worker_threads').parentPort.postMessage([1])`)
  expect(await ask(answering)).toEqual([1])
  await expect(ask(start(`throw new Error('broken')`))).rejects.toThrow('broken')
  await expect(ask(start('process.exit(0)'))).rejects.toThrow('ended early')
  const endless = start('for (;;);')
  await expect(ask(endless, 1)).rejects.toThrow('too slow')
  const cancelled = new AbortController()
  const waiting = ask(endless, PATIENCE_MS, cancelled.signal)
  cancelled.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  for (const event of ['message', 'error', 'exit']) expect(endless.listenerCount(event)).toBe(0)
})
