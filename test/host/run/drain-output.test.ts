import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { drainOutput } from '../../../src/host/run/drain-output.ts'
import { readOutput } from '../../../src/host/run/output-reader.ts'
import { makeScratch } from '../../harness/scratch.ts'

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
    expect(reader.kept().text).toBe('the rest')
    closeSync(holder)
  })
})
