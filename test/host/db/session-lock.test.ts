import { spawn } from 'node:child_process'
import fs, { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { removeFreeLocks, takeLock } from '../../../src/host/db/session-lock.ts'
import type { Lock } from '../../../src/host/db/session-lock.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

/** How often each process takes the lock. */
const ROUNDS = 50

async function take(path: string, waitMs = 0): Promise<Lock> {
  const attempt = await takeLock(path, waitMs, () => 7)
  if (!attempt.isHeld) throw new Error('the lock was not free')
  return attempt.lock
}

/** Does something while no look at one file is allowed. */
function whileStatFails<T>(path: string, act: () => T): T {
  const real = fs.statSync
  const failing = (name: fs.PathLike, ...rest: readonly never[]) => {
    if (name === path) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    return real(name, ...rest)
  }
  Object.assign(fs, { statSync: failing })
  syncBuiltinESMExports()
  try {
    return act()
  } finally {
    Object.assign(fs, { statSync: real })
    syncBuiltinESMExports()
  }
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

  it('is free again if its file cannot be looked at once it is held', async () => {
    const path = makeScratch().at('lock.db')
    const attempt = whileStatFails(path, () => takeLock(path, 0, () => 7))
    await expect(attempt).rejects.toThrow('EACCES')
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

describe('the file of a lock', () => {
  it('is there only while the lock is held', async () => {
    const scratch = makeScratch()
    const lock = await take(scratch.at('lock.db'))
    expect(readdirSync(scratch.path).toSorted()).toEqual(['gate', 'lock.db', 'lock.db.holder'])
    lock.release()
    expect(readdirSync(scratch.path)).toEqual(['gate'])
  })

  it('stays if it is that of another process, because someone removed the own one', async () => {
    const path = makeScratch().at('lock.db')
    const lock = await take(path)
    rmSync(path)
    const other = await take(path)
    lock.release()
    expect(existsSync(path)).toBe(true)
    expect(await takeLock(path, 0, () => 8)).toMatchObject({ isHeld: false })
    other.release()
    expect(existsSync(path)).toBe(false)
  })

  it('is neither made nor removed while another process is in the gate', async () => {
    const scratch = makeScratch()
    const lock = await take(scratch.at('lock.db'))
    const gate = new DatabaseSync(scratch.at('gate'))
    gate.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
    expect(await takeLock(scratch.at('other.db'), 0, () => 8)).toEqual({ isHeld: false, holder: null })
    lock.release()
    expect(readdirSync(scratch.path).toSorted()).toEqual(['gate', 'lock.db'])
    gate.close()
    ;(await take(scratch.at('lock.db'))).release()
    expect(readdirSync(scratch.path)).toEqual(['gate'])
  })

  it('that a killed process left is removed if no one holds the lock', async () => {
    const scratch = makeScratch()
    const lock = await take(scratch.at('held.db'))
    for (const name of ['left.db', 'left.db-journal', 'left.db.holder', 'other.db'])
      writeFileSync(scratch.at(name), '')
    removeFreeLocks(scratch.path)
    expect(readdirSync(scratch.path).toSorted()).toEqual(['gate', 'held.db', 'held.db.holder'])
    lock.release()
  })

  it('is never held by two processes at once, however often it is removed and made again', async () => {
    const scratch = makeScratch()
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [join(import.meta.dirname, 'lock-child.ts'), scratch.path, String(ROUNDS)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    const said = await Promise.all(children.map(({ stdout }) => text(stdout)))
    expect(said).toEqual(children.map(() => `held ${ROUNDS} times\n`))
    expect(readdirSync(scratch.path)).toEqual(['gate'])
  })
})
