import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { takeLock } from '../../../src/host/db/session-lock.ts'
import type { Lock } from '../../../src/host/db/session-lock.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

async function take(path: string, waitMs = 0): Promise<Lock> {
  const attempt = await takeLock(path, waitMs, () => 7)
  if (!attempt.isHeld) throw new Error('the lock was not free')
  return attempt.lock
}

describe('a lock', () => {
  it('is held by one, also within this process, and says by whom', async () => {
    const path = makeScratch().at('lock.db')
    const lock = await take(path)
    const other = await takeLock(path, 0, () => 8)
    expect(other).toMatchObject({ isHeld: false, holder: { pid: process.pid, since: 7 } })
    // Looking must not have opened it.
    expect(await takeLock(path, 20, () => 8)).toMatchObject({ isHeld: false })
    lock.release()
    expect(existsSync(`${path}.holder`)).toBe(false)
    ;(await take(path)).release()
  })

  it('is given to whoever waits for it', async () => {
    const path = makeScratch().at('lock.db')
    const lock = await take(path)
    const order: string[] = []
    const waiting = take(path, PATIENCE_MS).finally(() => order.push('given'))
    setTimeout(() => {
      order.push('released')
      lock.release()
    }, 50)
    const next = await waiting
    expect(order).toEqual(['released', 'given'])
    next.release()
  })

  it('has files that only the owner can read, and does not depend on what they say', async () => {
    const path = makeScratch().at('lock.db')
    const lock = await take(path)
    for (const file of [path, `${path}.holder`]) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(`${path}.holder`, 'utf8'))).toMatchObject({ pid: process.pid })
    for (const nonsense of ['', '{', 'null', '{"pid":"x"}']) {
      writeFileSync(`${path}.holder`, nonsense)
      expect(await takeLock(path, 0, () => 8)).toEqual({ isHeld: false, holder: null })
    }
    lock.release()
    writeFileSync(`${path}.holder`, JSON.stringify({ pid: 1, command: 'old', since: 1 }))
    ;(await take(path)).release()
  })

  it('is independent of other locks', async () => {
    const scratch = makeScratch()
    const locks = await Promise.all(['a', 'b', 'c'].map((name) => take(scratch.at(name))))
    expect(await takeLock(scratch.at('b'), 0, () => 0)).toMatchObject({ isHeld: false })
    for (const lock of locks) lock.release()
  })
})
