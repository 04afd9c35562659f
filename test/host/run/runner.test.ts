import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import type { ToolError } from '../../../src/core/error.ts'
import type { SpillRequest } from '../../../src/host/run/run-request.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { findByCommandLine, oddSeconds, openCommandBench } from './command-bench.ts'
import type { CommandBench } from './command-bench.ts'

let bench: CommandBench
beforeAll(async () => {
  bench = await openCommandBench()
})
afterAll(() => bench.close())

async function failureOfRun(run: Promise<unknown>): Promise<ToolError> {
  try {
    await run
  } catch (error) {
    if (error instanceof ToolFailure) return error.error
    throw error
  }
  throw new Error('it was expected to fail')
}

describe.each(['sandboxed', 'open'] as const)('a command, %s', (how) => {
  const on = (): { readonly confinement: CommandBench['open'] } => ({ confinement: bench[how] })

  it('FR-EXE-06: runs in its folder, with a closed input and only the variables it was given', async () => {
    const end = await bench.sh('pwd; cat; echo "input ended"; env | cut -d= -f1 | sort | tr "\\n" " "', on())
    const names = how === 'sandboxed' ? 'HOME PATH PWD TMPDIR' : 'HOME PATH PWD TONGS_RUN'
    expect(end).toMatchObject({
      exitCode: 0,
      signal: null,
      stderr: '',
      isTimedOut: false,
      isCancelled: false,
    })
    expect(end.stdout).toBe(`${bench.root}\ninput ended\n${names} `)
  })

  it('gets the input that it is given, and no more', async () => {
    const stdin = 'grüße\n'.repeat(50_000)
    const end = await bench.run(['wc', '-c'], { ...on(), stdin })
    expect(end.stdout.trim()).toBe(`${Buffer.byteLength(stdin)}`)
    const unread = await bench.run(['true'], { ...on(), stdin })
    expect(unread.exitCode).toBe(0)
  })

  it('tells its exit code, and a signal from an exit code that looks like one', async () => {
    expect(await bench.sh('exit 3', on())).toMatchObject({ exitCode: 3, signal: null })
    expect(await bench.sh('exit 137', on())).toMatchObject({ exitCode: 137, signal: null })
    expect(await bench.sh('kill -KILL $$', on())).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(await bench.sh('kill -SEGV $$', on())).toMatchObject({ exitCode: null, signal: 'SIGSEGV' })
  })

  it('keeps both streams apart, and each can be opened again by name', async () => {
    const end = await bench.sh('echo out >/dev/stdout; echo err >/dev/stderr', on())
    expect(end).toMatchObject({ stdout: 'out\n', stderr: 'err\n', stdoutBytes: 4, stderrBytes: 4 })
  })

  it('hands on arguments as they are', async () => {
    const end = await bench.run(['printf', '<%s>', 'a b', '$HOME', '*', '', ';', '-n'], on())
    expect(end.stdout).toBe('<a b><$HOME><*><><;><-n>')
  })

  it('that does not exist is told apart from one that ends with 127', async () => {
    const end = await bench.run(['no-such-program'], on())
    expect(end).toMatchObject({ exitCode: 127, isAbsent: true, stdout: '', stderr: '' })
    expect(await bench.run(['exit', '0'], on())).toMatchObject({ exitCode: 127, isAbsent: true })
    expect(await bench.run(['echo', 'x'], on())).toMatchObject({
      exitCode: 0,
      isAbsent: false,
      stdout: 'x\n',
    })
    const own = await bench.run(['sh', '-c', 'exit 127'], on())
    expect(own).toMatchObject({ exitCode: 127, isAbsent: false })
  })

  it('FR-EXE-06: gives text in UTF-8, whole across pieces, with a sign where bytes are none', async () => {
    const pieces: string[] = []
    const go = join(bench.root, 'go-on')
    const line = String.raw`printf 'a\342'; until [ -e go-on ]; do sleep 0.02; done; printf '\202'; sleep 0.1; printf '\254b\377c\303'`
    const end = await bench.sh(line, on(), {
      onChunk: (_, text) => {
        pieces.push(text)
        writeFileSync(go, '')
      },
    })
    rmSync(go)
    expect(end.stdout).toBe('a€b\uFFFDc\uFFFD')
    expect(pieces.join('')).toBe(end.stdout)
    expect(pieces.length).toBeGreaterThan(1)
  })

  it('streams what it prints while it runs', async () => {
    const heard = join(bench.root, 'heard')
    const line = 'echo first; until [ -e heard ]; do sleep 0.02; done; echo last >&2'
    const end = await bench.sh(line, on(), {
      onChunk: (stream, text) => {
        if (stream === 'stdout' && text === 'first\n') writeFileSync(heard, '')
      },
    })
    rmSync(heard)
    expect(end).toMatchObject({ exitCode: 0, isTimedOut: false, stdout: 'first\n', stderr: 'last\n' })
  })

  it('is not held up by a child that keeps its pipes open, and leaves none behind', async () => {
    const seconds = oddSeconds()
    const startedMs = performance.now()
    const end = await bench.sh(`sleep ${seconds} & (setsid sleep ${seconds} &); echo done`, on())
    expect(end).toMatchObject({ exitCode: 0, stdout: 'done\n', hasSurvivors: false })
    expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS / 2)
    expect(findByCommandLine(seconds)).toEqual([])
  })
})

function memory(): number {
  return process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
}

function spillTo(path: string, maxBytes = 1_000_000): SpillRequest {
  return { path, maxBytes, note: '', secrets: [], onWritten: () => undefined }
}

describe('output', () => {
  it('NFR-PERF-04: of any length is kept in a bound, streamed whole to a slow listener, and fills no memory', async () => {
    const bytes = 64 * 1024 ** 2
    let characters = 0
    let longest = 0
    let mostMemory = 0
    const before = memory()
    const end = await bench.sh(
      `head -c ${bytes} /dev/zero | tr '\\0' x; echo end`,
      { keepBytes: 10_000 },
      {
        onChunk: async (_, text) => {
          characters += text.length
          longest = Math.max(longest, text.length)
          mostMemory = Math.max(mostMemory, memory())
          if (characters % 7 === 0) await new Promise((done) => setTimeout(done, 1))
          else await Promise.resolve()
        },
      },
    )
    expect(characters).toBe(bytes + 4)
    expect(end.stdoutBytes).toBe(bytes + 4)
    expect(end.stdout.length).toBeLessThanOrEqual(10_000)
    expect(end.stdout).toMatch(/^x+\n\.\.\. \[\d+ bytes left out\] \.\.\.\nx+end\n$/)
    expect(longest).toBeLessThan(256 * 1024)
    expect(mostMemory - before).toBeLessThan(bytes / 2)
  })

  it('NFR-PERF-04: in very many small pieces is handed on in few', async () => {
    let pieces = 0
    const end = await bench.run(
      ['perl', '-e', '$| = 1; print "x\\n" for 1 .. 20000'],
      {},
      {
        onChunk: () => void (pieces += 1),
      },
    )
    expect(end.stdoutBytes).toBe(40_000)
    expect(pieces).toBeLessThan(2_000)
  })

  it('that is not kept is in a file that only we can read, if one was asked for', async () => {
    const scratch = makeScratch()
    const path = scratch.at('output')
    const end = await bench.sh('seq 1 5000; echo oops >&2', { keepBytes: 1000, spill: spillTo(path) })
    expect(end).toMatchObject({ spilled: path })
    const whole = readFileSync(path, 'utf8')
    expect(whole.replace('oops\n', '')).toBe(Array.from({ length: 5000 }, (_, at) => `${at + 1}\n`).join(''))
    expect(whole).toContain('oops\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)

    const short = await bench.sh('echo hi', { spill: spillTo(scratch.at('not-needed')) })
    expect(short).not.toHaveProperty('spilled')
    expect(existsSync(scratch.at('not-needed'))).toBe(false)
  })

  it('does not overwrite a file, nor fill the disk, and the command goes on', async () => {
    const scratch = makeScratch()
    const there = scratch.file('there', 'mine')
    const end = await bench.sh('seq 1 5000', { keepBytes: 1000, spill: spillTo(there) })
    expect(end).toMatchObject({ exitCode: 0, spillFault: expect.stringContaining('EEXIST') as string })
    expect(end).not.toHaveProperty('spilled')
    expect(readFileSync(there, 'utf8')).toBe('mine')

    const cut = await bench.sh('seq 1 5000', {
      keepBytes: 1000,
      spill: spillTo(scratch.at('cut'), 100),
    })
    expect(cut).toMatchObject({
      spilled: scratch.at('cut'),
      spillFault: 'It holds only the first 100 bytes.',
    })
    expect(statSync(scratch.at('cut')).size).toBe(100)
  })

  it('stops with the listener that fails, whose own error is given', async () => {
    const seconds = oddSeconds()
    const running = bench.sh(
      `echo hi; sleep ${seconds}`,
      {},
      {
        onChunk: () => {
          throw new RangeError('no more')
        },
      },
    )
    await expect(running).rejects.toThrow(new RangeError('no more'))
    expect(findByCommandLine(seconds)).toEqual([])
  })
})

describe('limits', () => {
  const MB = 1024 ** 2
  it('RULE 6: of memory end a process that wants more, and the result says that an rlimit did it', async () => {
    const end = await bench.sh('tail /dev/zero', { limits: { memoryBytes: 64 * MB } })
    expect(end.limitsHeld).toEqual({ memoryBytes: 'rlimit' })
    expect(end.exitCode).not.toBe(0)
    expect(end.stderr).toContain('memory exhausted')
    const enough = await bench.sh('head -c 20m /dev/zero | tail -c 10m | wc -c', {
      limits: { memoryBytes: 64 * MB },
    })
    expect(enough.stdout.trim()).toBe(`${10 * MB}`)
  })

  it('RULE 6: cannot be raised by the command', async () => {
    const end = await bench.sh('ulimit -d unlimited; ulimit -d; ulimit -f 999999; ulimit -f', {
      limits: { memoryBytes: 64 * MB, fileBytes: 1024 },
    })
    expect(end.stdout).toBe(`${64 * 1024}\n2\n`)
  })

  it('of processor time and of files end a command as the system does', async () => {
    const loop = await bench.sh('while :; do :; done', { limits: { cpuSeconds: 1 } })
    expect(loop).toMatchObject({ exitCode: null, isTimedOut: false, limitsHeld: { cpuSeconds: 'rlimit' } })
    expect(loop.signal).toMatch(/SIGKILL|SIGXCPU/)
    const file = await bench.sh('head -c 100000 /dev/zero >big; wc -c <big', {
      limits: { fileBytes: 10_240 },
    })
    expect(file.stdout.trim()).toBe('10240')
    expect(file.limitsHeld).toEqual({ fileBytes: 'rlimit' })
  })

  it('leave no core file', async () => {
    await bench.sh('mkdir cores; cd cores; ulimit -c unlimited; kill -SEGV $$')
    expect((await bench.sh('ls -A cores')).stdout).toBe('')
  })
})

describe('a command that cannot be started', () => {
  it('is refused if it is none', async () => {
    expect((await failureOfRun(bench.run([]))).code).toBe('bad_args')
    expect((await failureOfRun(bench.run(['']))).code).toBe('bad_args')
    expect((await failureOfRun(bench.run(['echo', 'a\0b']))).code).toBe('bad_args')
  })

  it('is told of its folder, by name', async () => {
    const cwd = join(bench.root, 'not-there')
    const inside = await failureOfRun(bench.run(['true'], { cwd }))
    expect(inside).toMatchObject({ code: 'execution_failed', details: { rung: 'bwrap' } })
    expect(inside.message).toContain('not-there')
    const open = await failureOfRun(bench.run(['true'], { cwd, confinement: bench.open }))
    expect(open).toMatchObject({ code: 'execution_failed', message: `The folder ${cwd} does not exist.` })
  })

  it('is told that it is too long', async () => {
    const failure = await failureOfRun(bench.run(['echo', 'x'.repeat(200_000)]))
    expect(failure).toMatchObject({
      code: 'bad_args',
      message: expect.stringContaining('too long') as string,
    })
    expect((await bench.run(['echo', 'next'])).stdout).toBe('next\n')
  })

  it('says so when the sandbox itself fails, instead of giving an exit code', async () => {
    const confinement = { ...bench.sandboxed, launch: (): never => never() }
    await expect(bench.run(['true'], { confinement })).rejects.toThrow('asked for')
    const broken: CommandBench['sandboxed'] = {
      ...bench.sandboxed,
      launch: (command) => {
        const launch = bench.sandboxed.launch(command)
        return { ...launch, argv: [launch.argv[0] ?? '', '--no-such-option', ...launch.argv.slice(1)] }
      },
    }
    const failure = await failureOfRun(bench.run(['true'], { confinement: broken }))
    expect(failure).toMatchObject({ code: 'execution_failed', details: { rung: 'bwrap' } })
    expect(failure.message).toContain('no-such-option')
  })

  it('is not started at all when it was cancelled before', async () => {
    const end = await bench.sh('touch started', {}, { signal: AbortSignal.abort() })
    expect(end).toMatchObject({ isCancelled: true, exitCode: null })
    expect(existsSync(join(bench.root, 'started'))).toBe(false)
  })
})

function never(): never {
  throw new Error('asked for')
}

it('reads what it may besides the workspace, and writes what was granted', async () => {
  const scratch = makeScratch()
  scratch.file('shown/a.txt', 'a')
  scratch.folder('cache')
  writeFileSync(scratch.at('hidden.txt'), 'h')
  const confinement = await bench.confine({ read: [scratch.at('shown')], write: [scratch.at('cache')] })
  const at = (name: string): string => shellWord(scratch.at(name))
  const line = `cat ${at('shown/a.txt')}; echo x >${at('shown/b.txt')}; echo y >${at('cache/c.txt')}; cat ${at('hidden.txt')}`
  const end = await bench.sh(line, { confinement })
  expect(end.stdout).toBe('a')
  expect(existsSync(scratch.at('shown/b.txt'))).toBe(false)
  expect(readFileSync(scratch.at('cache/c.txt'), 'utf8')).toBe('y\n')
})
