import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RECORDINGS, TASKS } from '../../eval/places.ts'
import { readRecording } from '../../eval/recording.ts'
import type { Recording } from '../../eval/recording.ts'
import { tongs } from '../../eval/runners/tongs.ts'
import { replay } from '../../eval/server/answer-source.ts'
import type { Answer } from '../../eval/server/chat.ts'
import { checkProject, makeProject, readTasks } from '../../eval/task.ts'
import type { Task } from '../../eval/task.ts'
import { runTrial } from '../../eval/trial.ts'
import { someOf } from '../harness/long-run.ts'

/** Those whose project lies in the repository, so that nothing is fetched. */
const HERE = [
  'background-command',
  'configuration',
  'delegated-survey',
  'encodings',
  'own-command',
  'picture',
  'skill',
  'web-page',
] as const

function taskOf(name: string, folder = TASKS): Task {
  const found = readTasks(folder).find((task) => task.name === name)
  if (found === undefined) throw new Error(`there is no task ${name}`)
  return found
}

function recordingOf(name: string): Recording {
  const recording = readRecording(RECORDINGS, name, 'tongs')
  if (recording === null) throw new Error(`there is no recording of ${name}`)
  return recording
}

const answersOf = (name: string) => recordingOf(name).requests.map(({ answer }) => answer)

function tryWith(task: Task, answers: readonly (Answer | null)[]) {
  const backend = { kind: 'source', source: replay(answers) } as const
  return runTrial({ task, runner: tongs, backend, provider: 'compatible', model: 'eval' })
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tongs-eval-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a replayed task', () => {
  it.for(someOf(HERE, 2))('%s is solved, and costs what was recorded', async (name) => {
    const { outcome, reason } = await tryWith(taskOf(name), answersOf(name))
    expect(reason).toBe('')
    const recorded = recordingOf(name).outcome
    expect(outcome).toMatchObject({
      solved: true,
      requests: recorded.requests,
      calls: recorded.calls,
      failed: recorded.failed,
    })
    expect(outcome.bytesIn).toBeLessThanOrEqual(recorded.bytesIn * 1.05)
    expect(outcome.firstBytes).toBeLessThanOrEqual(10_240)
  })

  it('is not solved if the recording does something else', async () => {
    const answers = answersOf('configuration').map((answer) =>
      answer === null
        ? null
        : {
            ...answer,
            calls: answer.calls.map((call) => ({ ...call, args: call.args.replace('2.0.0', '1.2.0') })),
          },
    )
    const { outcome, reason } = await tryWith(taskOf('configuration'), answers)
    expect(outcome.solved).toBe(false)
    expect(reason).toContain('Assertion')
  })

  it('is not solved if the recording ends too early', async () => {
    const { outcome, reason } = await tryWith(taskOf('configuration'), answersOf('configuration').slice(0, 1))
    expect(outcome).toMatchObject({ solved: false, requests: 2 })
    expect(reason).toContain('tongs ended with 1')
  })

  it('is not solved if its check is broken', async () => {
    const folder = makeFolder()
    cpSync(join(TASKS, 'configuration'), join(folder, 'configuration'), { recursive: true })
    writeFileSync(join(folder, 'configuration/check.ts'), `throw new Error('it is not there')\n`)
    const { outcome, reason } = await tryWith(taskOf('configuration', folder), answersOf('configuration'))
    expect(outcome.solved).toBe(false)
    expect(reason).toContain('it is not there')
  })
})

describe('what a model is sent', () => {
  /** The requests of a model that reads one file. */
  async function tryReading(task: Task, path: string) {
    const bodies: string[] = []
    const call = { id: 'call_0_0', name: 'read_file', args: JSON.stringify({ path }) }
    const source = (body: string, index: number) => {
      bodies.push(body)
      return Promise.resolve({ text: '', calls: index === 0 ? [call] : [] })
    }
    const backend = { kind: 'source', source } as const
    const { outcome } = await runTrial({
      task,
      runner: tongs,
      backend,
      provider: 'compatible',
      model: 'eval',
    })
    const [first = '', second = ''] = bodies
    return { first, second, outcome }
  }

  it('in picture is each picture, once the prompt or a call names it', async () => {
    const task = taskOf('picture')
    const dataOf = (path: string) =>
      `data:image/png;base64,${readFileSync(join(task.folder, 'files', path), 'base64')}`
    const [chart, legend] = [dataOf('pictures/chart.png'), dataOf('pictures/legend.png')]
    const { first, second, outcome } = await tryReading(task, 'pictures/legend.png')
    expect(first).toContain(chart)
    expect(first).not.toContain(legend)
    expect(second).toContain(legend)
    // The call for the file in the prompt is not one of the model.
    expect(outcome.calls).toBe(1)
  })

  it('in own-command is the text of the command, and the notes of the folders as they are reached', async () => {
    const { first, second } = await tryReading(taskOf('own-command'), 'packages/mail/texts/en.json')
    expect(first).toContain('in each of its languages: packages/mail, parcel delayed: ')
    expect(first).not.toContain('$ARGUMENTS')
    expect(first).toMatch(/cartEmpty.*packages\/mail\/AGENTS\.md:.*order-shipped/)
    expect(first).not.toContain('subjects of mails')
    expect(second).toMatch(/order-shipped.*packages\/mail\/texts\/AGENTS\.md:.*subjects of mails/)
  })
})

describe('the tasks', () => {
  it('are at least twelve, each recorded with us and at least six with each peer', () => {
    const names = readTasks(TASKS).map(({ name }) => name)
    const recordedBy = (runner: string) =>
      names.filter((name) => readRecording(RECORDINGS, name, runner)?.outcome.solved === true)
    expect(names.length).toBeGreaterThanOrEqual(12)
    expect(recordedBy('tongs')).toEqual(names)
    for (const peer of ['pi', 'opencode']) expect(recordedBy(peer).length, peer).toBeGreaterThanOrEqual(6)
  })

  it.for(HERE)('%s is not solved before anything was done', (name) => {
    const root = join(makeFolder(), name)
    mkdirSync(root)
    makeProject(taskOf(name), root)
    expect(checkProject(taskOf(name), root).solved).toBe(false)
  })
})
