import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failure } from '../../core/error.ts'
import type { IsolatedJob, RunIsolated } from '../../core/isolation.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { platform } from '../system/platform.ts'
import { readEnding } from './read-ending.ts'
import { RUNNER_CODE } from './runner-code.ts'

const MEBIBYTE = 1024 ** 2

/** Stacks of threads and the like, beside the data of the tool. */
const OVERHEAD_BYTES = 64 * MEBIBYTE
const MAX_ANSWER_BYTES = 64 * MEBIBYTE
const MAX_STDERR_CHARS = 4096
const NEWLINE = 0x0a

/** How long a process that has ended is listened to; a child of its own may hold its pipes open. */
const LINGER_MS = 250

/** Never looked for on the path, where anybody may have put one. */
const PRLIMIT_PLACES = ['/usr/bin/prlimit', '/bin/prlimit']

/** Runs tools in processes of their own, each with these variables and in an empty folder. */
export function createIsolator(environment: Readonly<Record<string, string>>): RunIsolated {
  return async (job) => {
    job.signal.throwIfAborted()
    const folder = makeFolder()
    try {
      return await runProcess(job, folder, environment)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'tongs-isolated-'))
  } catch (error) {
    throw exhausted('folder', `No folder could be made for the tool: ${messageOf(error)}`, 'Try again later.')
  }
}

async function runProcess(
  job: IsolatedJob,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<unknown> {
  const heap = Math.ceil(job.isolation.memoryBytes / MEBIBYTE)
  const argv = [`--max-old-space-size=${heap}`, '--input-type=module', '--eval', RUNNER_CODE]
  const child = spawn(process.execPath, argv, {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: platform !== 'windows',
    windowsHide: true,
  })
  const onAbort = (): void => kill(child)
  job.signal.addEventListener('abort', onAbort, { once: true })
  try {
    const stderr = forwardOutput(child, job)
    // It may be gone before it has read its job, which its end will tell.
    child.stdin?.on('error', () => undefined)
    child.stdin?.write(`${JSON.stringify(describeJob(job))}\n`)
    const { answer, ...end } = await endOf(child, readAnswer(child.stdio[3]))
    job.signal.throwIfAborted()
    if (answer === 'too_long') {
      const most = `${MAX_ANSWER_BYTES / MEBIBYTE} MiB`
      throw exhausted('answer', `The tool answered with more than ${most}.`, 'Ask for less at a time.')
    }
    return readEnding({ ...end, answer, stderr: stderr() }, job.isolation)
  } finally {
    job.signal.removeEventListener('abort', onAbort)
    if (child.exitCode === null && child.signalCode === null) kill(child)
  }
}

function describeJob({ isolation, args, context }: IsolatedJob): JsonObject {
  const { module, export: name, memoryBytes, cpuSeconds } = isolation
  // Without a limit of its own it still has an end, even if this process dies and cannot stop it any more.
  const patience = Math.ceil(context.timeoutMs / 1000) * availableParallelism() + 1
  const limits = {
    memoryBytes: memoryBytes + OVERHEAD_BYTES,
    cpuSeconds: Math.ceil(cpuSeconds ?? patience),
    prlimit: platform === 'linux' ? (PRLIMIT_PLACES.find((place) => existsSync(place)) ?? null) : null,
  }
  return { module, name, args, context, limits }
}

/** Passes on what the tool says, and keeps the end of its complaints. */
function forwardOutput(child: ChildProcess, { emit }: IsolatedJob): () => string {
  let tail = ''
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      if (stream === 'stderr') tail = (tail + chunk).slice(-MAX_STDERR_CHARS)
      emit(stream, chunk)
    })
  }
  return () => tail
}

/** What came as an answer: an object, nothing of use, or more than there is room for. */
type Answer = JsonObject | null | 'too_long'

/** Reads the one line of an answer; it settles with the pipe at the latest. */
function readAnswer(pipe: ChildProcess['stdio'][number] | undefined): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    pipe?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) resolve('too_long')
      else chunks.push(chunk)
      if (chunk.at(-1) === NEWLINE) resolve(parseObject(Buffer.concat(chunks).toString()))
    })
    pipe?.on('error', () => resolve(null))
    pipe?.on('close', () => resolve(null))
  })
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** Waits for the process to end. One that has answered is not waited for; one that has ended may have an answer on its way. */
async function endOf(child: ChildProcess, answering: Promise<Answer>) {
  const ending = new Promise<{ exitCode: number | null; signal: string | null }>((resolve, reject) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', (error) =>
      reject(
        exhausted(
          'processes',
          `No process could be started for the tool: ${error.message}`,
          'Try again later.',
        ),
      ),
    )
  })
  const silence = new Promise((resolve) => child.once('close', resolve))
  if ((await Promise.race([answering, ending.then(() => null)])) !== null) kill(child)
  const end = await ending
  // Its children may still be there.
  kill(child)
  await Promise.race([silence, sleep(LINGER_MS, undefined, { ref: false })])
  for (const pipe of child.stdio) pipe?.destroy()
  return { ...end, answer: await answering }
}

function exhausted(limit: string, message: string, hint: string): Error {
  return failure('resource_exhausted', message, { limit }, [hint])
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Ends the process and whatever it has started, as far as that has not left its group. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (platform === 'windows') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
