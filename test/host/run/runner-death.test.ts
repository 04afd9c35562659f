import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import { eventually, findByCommandLine, oddSeconds, openCommandBench } from './command-bench.ts'

const PROGRAM = fileURLToPath(new URL('doomed-process.ts', import.meta.url))

/** The spawner of a process. */
function spawnersOf(pid: number): readonly number[] {
  return findByCommandLine('spawner-process').filter((one) =>
    readFileSync(`/proc/${one}/stat`, 'latin1').includes(`) S ${pid} `),
  )
}

function runFoldersOf(spawner: number): readonly string[] {
  const [, , folder = ''] = readFileSync(`/proc/${spawner}/cmdline`, 'utf8').split('\0')
  return [folder]
}

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

async function startDoomed(seconds: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, seconds], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  await new Promise((ready) => child.stdout?.once('data', ready))
  return child
}

describe('when somebody dies', () => {
  it.for(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'FR-EXE-05: commands die with the runtime that started them (%s)',
    async (signal) => {
      const seconds = oddSeconds()
      const doomed = await startDoomed(seconds)
      const [spawner = 0] = spawnersOf(doomed.pid ?? 0)
      const [folder = ''] = runFoldersOf(spawner)
      expect(findByCommandLine(seconds).length).toBeGreaterThan(3)
      expect(existsSync(folder)).toBe(true)
      doomed.kill(signal)
      expect(await eventually(() => findByCommandLine(seconds).length === 0, 5_000)).toBe(true)
      expect(await eventually(() => !existsSync(folder) && !existsSync(`/proc/${spawner}`), 5_000)).toBe(true)
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
      const [spawner = 0, ...others] = spawnersOf(process.pid)
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

  it('a runner that is closed takes its commands along and leaves no files', async () => {
    const seconds = oddSeconds()
    const bench = await openCommandBench()
    const running = bench.sh(`sleep ${seconds}`).catch((error: unknown) => error)
    expect(await eventually(() => findByCommandLine(seconds).length > 0, 5_000)).toBe(true)
    const [spawner = 0] = spawnersOf(process.pid)
    const [folder = ''] = runFoldersOf(spawner)
    expect(readdirSync(folder).length).toBeGreaterThan(0)
    await bench.close()
    expect(await running).toBeInstanceOf(ToolFailure)
    expect(findByCommandLine(seconds)).toEqual([])
    expect(existsSync(folder)).toBe(false)
  })

  it('a program that has nothing else to do ends although it has a runner', async () => {
    const child = spawn(process.execPath, [PROGRAM], { stdio: 'ignore' })
    started.push(child)
    expect(await new Promise((done) => child.once('exit', (code) => done(code)))).toBe(0)
  })
})
