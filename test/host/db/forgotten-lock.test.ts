import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { takeLock } from '../../../src/host/db/session-lock.ts'
import { makeScratch } from '../../harness/scratch.ts'

it('a lock that its process keeps no reference to survives the garbage collector, and ends with the process', async () => {
  const path = makeScratch().at('lock.db')
  const holder = join(import.meta.dirname, 'lock-holder.ts')
  const child = spawn(process.execPath, ['--expose-gc', holder, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    expect(JSON.parse(String(line))).toEqual({ isHeld: true, isControlTaken: true })
    expect(await takeLock(path, 0, () => 8)).toMatchObject({ isHeld: false, holder: { pid: child.pid } })
  } finally {
    child.stdin.end()
    await ended
  }
  const next = await takeLock(path, 0, () => 9)
  expect(next.isHeld).toBe(true)
  if (next.isHeld) next.lock.release()
})
