import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDecoder, drainOutput, readOutput } from '../../../src/host/run/output-reader.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { roundsOf } from '../../harness/long-run.ts'

describe('text from a stream', () => {
  it('is the same however its bytes are split', () => {
    const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 97, max: 122 }))
    const text = fc.string({ unit: 'binary', maxLength: 8 }).map((one) => [...new TextEncoder().encode(one)])
    const pieces = fc.array(fc.oneof(fc.array(byte, { maxLength: 6 }), text), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, (parts) => {
        const decoder = createDecoder()
        const said = parts.map((part) => decoder.decode(new Uint8Array(part))).join('') + decoder.end()
        const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(parts.flat()))
        expect(said).toBe(whole)
      }),
      { numRuns: roundsOf(120, 600) },
    )
  })
})

describe('the rest of an output', () => {
  it('is read before it is given up, however busy this process has been, though somebody holds the pipe', async () => {
    const scratch = makeScratch()
    execFileSync('mkfifo', [scratch.at('pipe')])
    const fd = openSync(scratch.at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
    const holder = openSync(scratch.at('pipe'), constants.O_WRONLY)
    writeSync(holder, 'the rest')
    const reader = readOutput(fd, 1000, { onText: null, onBytes: null, onFault: () => {} })
    let isOver = false
    const keepBusy = (): void => {
      for (const untilMs = performance.now() + 40; performance.now() < untilMs;);
      if (!isOver) setTimeout(keepBusy, 0)
    }
    const drained = drainOutput([reader])
    keepBusy()
    await drained
    isOver = true
    await reader.stop()
    expect(reader.boundedText().text).toBe('the rest')
    closeSync(holder)
  })
})

describe('a command that prints faster than it is read', () => {
  it('leaves the event loop to others every few milliseconds, and loses nothing', async () => {
    const mebibytes = 24
    const scratch = makeScratch()
    execFileSync('mkfifo', [scratch.at('pipe')])
    const writer = spawn('sh', ['-c', `head -c ${mebibytes * 2 ** 20} /dev/zero > "$0"`, scratch.at('pipe')])
    const fd = openSync(scratch.at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
    let inTurn = 0
    let most = 0
    const reader = readOutput(fd, 1000, {
      onText: () => {
        for (const untilMs = performance.now() + 2; performance.now() < untilMs;);
        most = Math.max(most, ++inTurn)
        if (inTurn === 1) setImmediate(() => (inTurn = 0))
      },
      onBytes: null,
      onFault: () => {},
    })
    await reader.ended
    expect(reader.totalBytes()).toBe(mebibytes * 2 ** 20)
    expect(most).toBeLessThanOrEqual(3)
    writer.kill()
  })
})
