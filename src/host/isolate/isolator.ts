import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failure } from '../../core/error.ts'
import type { IsolatedJob, RunIsolated } from '../../core/isolation.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { findPrivateFolder } from '../fs/private-folder.ts'
import { platform } from '../system/platform.ts'
import { readEnding } from './read-ending.ts'
import { RUNNER_CODE } from './runner-code.ts'

const MEBIBYTE = 1024 ** 2

/** Memory for thread stacks and the like, in addition to the data of the tool. */
const OVERHEAD_BYTES = 64 * MEBIBYTE
const MAX_ANSWER_BYTES = 64 * MEBIBYTE
const MAX_STDERR_CHARS = 4096
const NEWLINE = 0x0a

/** How long to read from a process that has ended; a child of its own may hold its pipes open. */
const LINGER_MS = 250

/** Not looked up on PATH, where any user may have put one. */
const PRLIMIT_PLACES = ['/usr/bin/prlimit', '/bin/prlimit']

/** Runs each tool in its own process, with these variables and in an empty folder that no root holds. */
export function createIsolator(
  environment: Readonly<Record<string, string>>,
  roots: readonly string[],
): RunIsolated {
  return async (job) => {
    job.signal.throwIfAborted()
    const folder = makeFolder(roots)
    try {
      return await runProcess(job, folder, environment)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function makeFolder(roots: readonly string[]): string {
  try {
    return mkdtempSync(join(findPrivateFolder('disk', roots), 'tongs-isolated-'))
  } catch (error) {
    throw exhausted('folder', `Cannot create a folder for the tool: ${messageOf(error)}`, 'Try again later.')
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
    // The process may end before it has read its job; its exit code tells.
    child.stdin?.on('error', () => undefined)
    child.stdin?.write(`${JSON.stringify(describeJob(job))}\n`)
    const { answer, ...end } = await endOf(child, readAnswer(child.stdio[3]))
    job.signal.throwIfAborted()
    if (answer === 'too_long') {
      const most = `${MAX_ANSWER_BYTES / MEBIBYTE} MiB`
      throw exhausted('answer', `The tool's answer is larger than ${most}.`, 'Ask for less at a time.')
    }
    return readEnding({ ...end, answer, stderr: stderr() }, job.isolation)
  } finally {
    job.signal.removeEventListener('abort', onAbort)
    if (child.exitCode === null && child.signalCode === null) kill(child)
  }
}

function describeJob({ isolation, args, context }: IsolatedJob): JsonObject {
  const { module, export: name, memoryBytes, cpuSeconds } = isolation
  // Without a limit of its own it still ends, even if this process dies and can no longer stop it.
  const patience = Math.ceil(context.timeoutMs / 1000) * availableParallelism() + 1
  const limits = {
    memoryBytes: memoryBytes + OVERHEAD_BYTES,
    cpuSeconds: Math.ceil(cpuSeconds ?? patience),
    prlimit: platform === 'linux' ? (PRLIMIT_PLACES.find((place) => existsSync(place)) ?? null) : null,
  }
  return { module, name, args, context, limits }
}

/** Passes on the output of the tool, and keeps the end of its stderr. */
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

/** An answer: an object, null for anything else, or too long to read. */
type Answer = JsonObject | null | 'too_long'

/** Reads the one line of an answer; settles at the latest when the pipe closes. */
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

/** Waits for the process to end, and kills it once it has answered; after its end, an answer may still be in the pipe. */
async function endOf(child: ChildProcess, answering: Promise<Answer>) {
  const ending = new Promise<{ exitCode: number | null; signal: string | null }>((resolve, reject) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', (error) =>
      reject(
        exhausted('processes', `Cannot start a process for the tool: ${error.message}`, 'Try again later.'),
      ),
    )
  })
  const silence = new Promise((resolve) => child.once('close', resolve))
  if ((await Promise.race([answering, ending.then(() => null)])) !== null) kill(child)
  const end = await ending
  // Its children may still be running.
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

/** Kills the process and its children, except those that have left its process group. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (platform === 'windows') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
