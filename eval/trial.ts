import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outcome, RecordedRequest } from './recording.ts'
import type { Command, Place, Runner } from './runners/runner.ts'
import type { AnswerSource } from './server/answer-source.ts'
import { servePages } from './server/serve-pages.ts'
import { serve } from './server/serve.ts'
import type { Backend } from './server/serve.ts'
import { createStandIns } from './stand-ins.ts'
import type { StandIns } from './stand-ins.ts'
import { checkProject, makeProject } from './task.ts'
import type { Task } from './task.ts'

export interface TrialOptions {
  readonly task: Task
  readonly runner: Runner
  readonly backend: Backend
  readonly provider: string
  readonly model: string
  /** Told at each request, with its number from 1. */
  readonly onRequest?: (count: number) => void
}

export interface Trial {
  readonly outcome: Outcome
  readonly requests: readonly RecordedRequest[]
  /** Why it is not solved; empty if it is. */
  readonly reason: string
}

/** Variables of the user that a runner gets; the others could change what it does. */
const PASSED = ['PATH', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'COMPATIBLE_API_KEY', 'ANTHROPIC_API_KEY']
const MORE_PASSED = ['OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'PYENV_ROOT']

/** Has a runner do a task in a folder of its own, and checks what it left. */
export async function runTrial(options: TrialOptions): Promise<Trial> {
  const { task, runner, backend, provider, model } = options
  const top = mkdtempSync(join(tmpdir(), 'tongs-eval-'))
  const root = join(top, task.name)
  const home = join(top, 'home')
  mkdirSync(home)
  makeProject(task, root)
  const pages = task.pages === null ? null : await servePages(task.pages)
  if (task.home !== null) cpSync(task.home, home, { recursive: true })
  const standIns = createStandIns({ root, home, web: pages?.url ?? null })
  const interruptions = [...(task.interruptions ?? [])]
  let child: ChildProcess | null = null
  const server = await serve(withStandIns(backend, standIns), (index, body) => {
    standIns.see(body)
    options.onRequest?.(index + 1)
    if (interruptions[0]?.request !== index + 1) return true
    child?.kill(interruptions[0].signal)
    return false
  })
  try {
    const place: Place = { root, home, url: server.url, provider, model }
    runner.configure(place)
    const begin = performance.now()
    let printed = ''
    let end: TurnEnd = { exit: null, printed: '', errors: '' }
    for (
      let prompt: string | undefined = task.prompt.replaceAll('{web}', pages?.url ?? '{web}'), isFirst = true;
      prompt !== undefined;
      isFirst = false
    ) {
      const before = server.exchanges.length
      const turn = startTurn(runner.command(place, prompt, isFirst), place, task.startIn)
      child = turn.child
      end = await turn.end
      printed += `${end.printed}\n`
      const wasStopped = interruptions[0] !== undefined && server.exchanges.length >= interruptions[0].request
      prompt = wasStopped && server.exchanges.length > before ? interruptions.shift()?.then : undefined
    }
    const ownMs = performance.now() - begin - server.answeringMs()
    const verdict = checkProject(task, root)
    const requests = server.exchanges.map(({ bytes, answer }) => ({
      bytes,
      answer: answer === null ? null : standIns.toRecorded(answer),
    }))
    const outcome: Outcome = {
      solved: verdict.solved && end.exit === 0,
      requests: requests.length,
      firstBytes: requests[0]?.bytes ?? 0,
      bytesIn: sum(requests.map(({ bytes }) => bytes)),
      bytesOut: sum(server.exchanges.map(({ bytesOut }) => bytesOut)),
      ...runner.tally(printed),
      ownSeconds: Math.round(ownMs / 100) / 10,
    }
    const failure = end.exit === 0 ? '' : `${runner.name} ended with ${end.exit}: ${lastLine(end.errors)}`
    return { outcome, requests, reason: verdict.solved ? failure : `${verdict.said} ${failure}`.trim() }
  } finally {
    server.close()
    pages?.close()
    if (process.env['TONGS_EVAL_KEEP'] === undefined) rmSync(top, { recursive: true, force: true })
  }
}

function withStandIns(backend: Backend, standIns: StandIns): Backend {
  if (backend.kind === 'provider') return backend
  const source: AnswerSource = async (body, index) => {
    const answer = await backend.source(body, index)
    return answer === null ? null : standIns.toReal(answer)
  }
  return { kind: 'source', source }
}

interface TurnEnd {
  readonly exit: number | null
  readonly printed: string
  readonly errors: string
}

/** Starts a turn of a runner, with few variables of the user's. */
export function startTurn({ program, args, env }: Command, { root, home }: Place, startIn = '.') {
  const passed = [...PASSED, ...MORE_PASSED].flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  const child = spawn(program, args, {
    cwd: join(root, startIn),
    env: { ...Object.fromEntries(passed), HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const end = new Promise<TurnEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exit) => resolve({ exit, printed, errors }))
  })
  return { child, end }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
