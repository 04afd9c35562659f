import { goalsOf } from './goals.ts'
import { OptionError, readOptions } from './options.ts'
import type { EvalOptions } from './options.ts'
import { peerRecordings, RECORDINGS, RUNNERS, TASKS } from './places.ts'
import { readRecording, writeRecording } from './recording.ts'
import type { Runner } from './runners/runner.ts'
import { answeredByHand, replay } from './server/answer-source.ts'
import type { Backend } from './server/serve.ts'
import { alignTable, cellsOf, ratioOf } from './table.ts'
import type { Row } from './table.ts'
import { findMissingPrograms, readTasks } from './task.ts'
import type { Task } from './task.ts'
import { runTrial } from './trial.ts'

try {
  process.exitCode = await evaluate(readOptions(process.argv.slice(2)))
} catch (thrown) {
  if (!(thrown instanceof OptionError || (thrown as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')))
    throw thrown
  console.error(`eval: ${(thrown as Error).message}`)
  process.exitCode = 2
}

/** Runs the tasks that were asked for and prints the table; gives the exit code. */
async function evaluate(options: EvalOptions): Promise<number> {
  const runner = RUNNERS.get(options.runner)
  if (runner === undefined) throw new OptionError(`--runner is one of ${[...RUNNERS.keys()].join(', ')}`)
  const tasks = readTasks(TASKS)
  const unknown = options.only.filter((name) => !tasks.some((task) => task.name === name))
  if (unknown.length > 0)
    throw new OptionError(
      `there is no task ${unknown.join(', ')}; there are ${tasks.map(({ name }) => name).join(', ')}`,
    )
  const wanted = tasks.filter(({ name }) => options.only.length === 0 || options.only.includes(name))
  const version = runner.prepare()
  const rows: Row[] = []
  const reasons: string[] = []
  for (const task of wanted) {
    const missing = findMissingPrograms(task)
    if (missing.length > 0) {
      reasons.push(`${task.name} was not tried: ${missing.join(', ')} not found`)
      continue
    }
    const backend = backendFor(options, task, runner)
    if (backend === null) {
      reasons.push(`${task.name} was not tried: there is no recording for ${runner.name}`)
      continue
    }
    const { provider, model } =
      options.answers.kind === 'provider' ? options.answers : { provider: 'compatible', model: 'eval' }
    const show = (count: number) =>
      progress(`${rows.length + 1}/${wanted.length} ${task.name}: request ${count}`)
    show(0)
    const { outcome, requests, reason } = await runTrial({
      task,
      runner,
      backend,
      provider,
      model,
      onRequest: show,
    })
    progress('')
    rows.push({ task: task.name, outcome })
    if (!outcome.solved) reasons.push(`${task.name} is not solved: ${reason}`)
    if (options.record && outcome.solved)
      writeRecording(RECORDINGS, { task: task.name, runner: runner.name, version, outcome, requests })
  }
  report(rows, runner, tasks)
  for (const reason of reasons) console.log(reason)
  return rows.every(({ outcome }) => outcome.solved) && rows.length === wanted.length ? 0 : 1
}

function backendFor({ answers }: EvalOptions, task: Task, runner: Runner): Backend | null {
  if (answers.kind === 'provider') return { kind: 'provider', baseUrl: answers.baseUrl }
  if (answers.kind === 'hand')
    return { kind: 'source', source: answeredByHand(answers.folder, `${task.name}.${runner.name}`) }
  const recording = readRecording(RECORDINGS, task.name, runner.name)
  return recording === null
    ? null
    : { kind: 'source', source: replay(recording.requests.map(({ answer }) => answer)) }
}

function report(rows: readonly Row[], runner: Runner, tasks: readonly Task[]): void {
  const peers = peerRecordings(
    tasks.map(({ name }) => name),
    runner.name,
  )
  console.log(alignTable(cellsOf(rows, peers)))
  if (runner.name !== 'tongs') return
  const pi = peers.get('pi')
  for (const { name, value, limit, met } of goalsOf(rows, pi === undefined ? null : ratioOf(rows, pi)))
    console.log(`${met ? 'met   ' : 'MISSED'} ${name}: ${value}, goal ${limit}`)
}

/** One line that is written over, on a terminal only. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`)
}
