import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { eventually, findByCommandLine, oddSeconds, openCommandBench } from './command-bench.ts'

const PROGRAM = fileURLToPath(new URL('doomed-process.ts', import.meta.url))

/** The spawners of a process, and where each has its files. */
function spawnersOf(pid: number): readonly { readonly pid: number; readonly folder: string }[] {
  return findByCommandLine('spawner-process')
    .filter((one) => parentOf(one) === pid)
    .map((one) => ({ pid: one, folder: folderOf(one) }))
}

function parentOf(pid: number): number {
  return Number(/\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1])
}

function folderOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[2] ?? ''
}

const GONE = { pid: Number.NaN, folder: '' }
/** Starts the program with temporary files of its own, as it cannot clean up after itself. */
function startDoomed(temporary: string, ...args: readonly string[]): ChildProcess {
  const env = { ...process.env, TMPDIR: temporary }
  return spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

describe('when somebody dies', () => {
  it.concurrent.for(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'FR-EXE-05: commands die with the runtime that started them (%s)',
    async (signal, { onTestFinished }) => {
      const seconds = oddSeconds()
      const temporary = mkdtempSync(join(tmpdir(), 'tongs-doomed-'))
      const doomed = startDoomed(temporary, seconds)
      onTestFinished(() => {
        doomed.kill('SIGKILL')
        rmSync(temporary, { recursive: true, force: true })
      })
      await new Promise((ready) => doomed.stdout?.once('data', ready))
      const [spawner = GONE] = spawnersOf(doomed.pid ?? 0)
      expect(findByCommandLine(seconds).length).toBeGreaterThan(3)
      expect(existsSync(spawner.folder)).toBe(true)
      doomed.kill(signal)
      expect(await eventually(() => findByCommandLine(seconds).length === 0, 5_000)).toBe(true)
      expect(
        await eventually(() => !existsSync(spawner.folder) && !existsSync(`/proc/${spawner.pid}`), 5_000),
      ).toBe(true)
    },
  )

  it('commands die with the spawner, the call says so, and the next command gets another', async () => {
    const seconds = oddSeconds()
    const bench = await openCommandBench()
    try {
      const line = `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}`
      const running = [bench.sandboxed, bench.open].map((confinement) => bench.sh(line, { confinement }))
      const ends = Promise.allSettled(running)
      expect(await eventually(() => findByCommandLine(seconds).length >= 6, 5_000)).toBe(true)
      const [spawner = GONE, ...others] = spawnersOf(process.pid)
      expect(others).toEqual([])
      process.kill(spawner.pid, 'SIGKILL')
      for (const end of await ends) {
        const error = end.status === 'rejected' ? (end.reason as unknown) : null
        expect(error).toBeInstanceOf(ToolFailure)
        expect((error as ToolFailure).error.code).toBe('crashed')
      }
      expect(await eventually(() => findByCommandLine(seconds).length === 0, 5_000)).toBe(true)
      expect(existsSync(spawner.folder)).toBe(false)
      expect(await bench.sh('echo again')).toMatchObject({ exitCode: 0, stdout: 'again\n' })
    } finally {
      await bench.close()
    }
  })

  it('a runner that is closed takes its commands along and leaves no files', async () => {
    const seconds = oddSeconds()
    const bench = await openCommandBench()
    const running = bench.sh(`sleep ${seconds}`).catch((error: unknown) => error)
    expect(await eventually(() => findByCommandLine(seconds).length > 0, 5_000)).toBe(true)
    const [{ folder } = GONE] = spawnersOf(process.pid)
    expect(readdirSync(folder).length).toBeGreaterThan(0)
    await bench.close()
    expect(await running).toBeInstanceOf(ToolFailure)
    expect(findByCommandLine(seconds)).toEqual([])
    expect(existsSync(folder)).toBe(false)
  })

  it('files that were cleared away under the runner do not keep it from running commands', async () => {
    const bench = await openCommandBench()
    try {
      await bench.sh('true')
      const [{ folder } = GONE] = spawnersOf(process.pid)
      rmSync(folder, { recursive: true })
      expect(await bench.sh('echo again')).toMatchObject({ exitCode: 0, stdout: 'again\n' })
    } finally {
      await bench.close()
    }
  })

  it('a program that has nothing else to do ends although it has a runner', async () => {
    const child = startDoomed(makeScratch().path)
    expect(await new Promise((done) => child.once('exit', (code) => done(code)))).toBe(0)
  })
})
