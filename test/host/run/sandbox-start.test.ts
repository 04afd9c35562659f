import { spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { usersOf } from '../../harness/layers/until-unused.ts'
import { chooserFrom, HARDENING_SEED, roundsOf } from '../../harness/long-run.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'

const PROGRAM = fileURLToPath(new URL('sandbox-start-process.ts', import.meta.url))
const KILLS = roundsOf(6, 40)
/** From the first process of a probe to its last one. */
const PROBE_MS = 400

/** Starts a sandbox, kills who starts it so long after it was begun, and waits for its end. */
async function killStarter(how: string, folder: string, afterMs = 0): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, how, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((done) => child.once('exit', done))
  await Promise.race([new Promise((said) => child.stdout.once('data', said)), ended])
  await pause(afterMs)
  expect(child.kill('SIGKILL')).toBe(true)
  await ended
}

/** Waits until nothing started for a folder is left, or something that will never end, which is ended here. */
async function findStuck(folder: string): Promise<readonly number[]> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (let users = usersOf(folder); users.length > 0; users = usersOf(folder)) {
    const stuck = users.filter(waitsAlone)
    for (const pid of stuck) process.kill(pid, 'SIGKILL')
    if (stuck.length > 0) return stuck
    if (Date.now() > giveUpAt) throw new Error(`${folder} is still used by ${users.join(', ')}`)
    await pause(10)
  }
  return []
}

it('a sandbox whose starter was killed before it begins does not stay', async () => {
  const { path } = makeScratch()
  await killStarter('late', path)
  expect(await findStuck(path)).toEqual([])
})

it('control: it stays if what it notes goes through a pipe', async () => {
  const { path } = makeScratch()
  await killStarter('late by pipe', path)
  expect(await findStuck(path)).toHaveLength(1)
})

it(
  'kills of the runtime at any moment of the probe of a sandbox leave no process',
  { timeout: 2 * PATIENCE_MS },
  async () => {
    const choose = chooserFrom(HARDENING_SEED)
    for (let kill = 0; kill < KILLS; kill++) {
      const { path } = makeScratch()
      await killStarter('probe', path, choose(PROBE_MS))
      expect(await findStuck(path)).toEqual([])
    }
  },
)

/** Whether a process waits for a note of its parent, which is gone. */
function waitsAlone(pid: number): boolean {
  try {
    const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? ''
    if (readFileSync(`/proc/${parent}/comm`, 'latin1') === 'bwrap\n') return false
    const [, fd = ''] = readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ')
    return readlinkSync(`/proc/${pid}/fd/${Number(fd)}`) === 'anon_inode:[eventfd]'
  } catch {
    return false
  }
}
