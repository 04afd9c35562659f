import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { eventually, findByCommandLine, oddSeconds, openCommandBench } from './command-bench.ts'

const PROGRAM = fileURLToPath(new URL('doomed-process.ts', import.meta.url))

/** The spawners of a process. */
function spawnersOf(pid: number): readonly number[] {
  return findByCommandLine('spawner-process').filter((one) => parentOf(one) === pid)
}

function parentOf(pid: number): number {
  return Number(/\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1])
}

/** Starts the program with temporary files of its own, as it cannot clean up after itself. */
function startDoomed(temporary: string, ...args: readonly string[]): ChildProcess {
  const env = { ...process.env, TMPDIR: temporary }
  const place = join(temporary, 'place')
  mkdirSync(place)
  return spawn(process.execPath, [PROGRAM, place, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
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
      const [spawner = Number.NaN] = spawnersOf(doomed.pid ?? 0)
      expect(findByCommandLine(seconds).length).toBeGreaterThan(3)
      expect(existsSync(`/proc/${spawner}`)).toBe(true)
      doomed.kill(signal)
      expect(await eventually(() => findByCommandLine(seconds).length === 0, 5_000)).toBe(true)
      expect(await eventually(() => !existsSync(`/proc/${spawner}`), 5_000)).toBe(true)
      expect(readdirSync(join(temporary, 'place'))).toEqual([])
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
      const [spawner = Number.NaN, ...others] = spawnersOf(process.pid)
      expect(others).toEqual([])
      process.kill(spawner, 'SIGKILL')
      for (const end of await ends) {
        const error = end.status === 'rejected' ? (end.reason as unknown) : null
        expect(error).toBeInstanceOf(ToolFailure)
        expect((error as ToolFailure).error.code).toBe('crashed')
      }
      expect(await eventually(() => findByCommandLine(seconds).length === 0, 5_000)).toBe(true)
      expect(await bench.sh('echo again')).toMatchObject({ exitCode: 0, stdout: 'again\n' })
    } finally {
      await bench.close()
    }
  })

  it('a runner has no files by name while a command runs, nor after it is closed', async () => {
    const seconds = oddSeconds()
    const place = makeScratch().path
    const bench = await openCommandBench('sandboxed', place)
    const running = bench.sh(`sleep ${seconds}`, { stdin: 'text' }).catch((error: unknown) => error)
    expect(await eventually(() => findByCommandLine(seconds).length > 0, 5_000)).toBe(true)
    expect(await eventually(() => readdirSync(place).length === 0, 5_000)).toBe(true)
    await bench.close()
    expect(await running).toBeInstanceOf(ToolFailure)
    expect(findByCommandLine(seconds)).toEqual([])
    expect(readdirSync(place)).toEqual([])
  })

  it('more commands than there are pipes in advance get their own output each', async () => {
    const bench = await openCommandBench('open')
    try {
      const numbers = Array.from({ length: 30 }, (_, at) => at)
      const ends = await Promise.all(numbers.map((at) => bench.sh(`cat; echo ${at} >&2`, { stdin: `${at}` })))
      expect(ends.map(({ stdout, stderr }) => [stdout, stderr])).toEqual(
        numbers.map((at) => [`${at}`, `${at}\n`]),
      )
    } finally {
      await bench.close()
    }
  })

  it('a command cannot change the input of its keeper, and reads its own as often as it likes', async () => {
    const bench = await openCommandBench()
    try {
      const line = 'cat /dev/stdin; cat /proc/self/fd/0; (echo x >/proc/self/fd/0) 2>/dev/null || echo held'
      expect(await bench.sh(line, { stdin: 'in\n' })).toMatchObject({ stdout: 'in\nin\nheld\n' })
      expect(await bench.sh('echo out >/dev/stdout; echo err >/dev/stderr')).toMatchObject({
        stdout: 'out\n',
        stderr: 'err\n',
      })
    } finally {
      await bench.close()
    }
  })

  it('a program that has nothing else to do ends although it has a runner', async () => {
    const child = startDoomed(makeScratch().path)
    expect(await new Promise((done) => child.once('exit', (code) => done(code)))).toBe(0)
  })
})
