import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Conversation } from '../../../../src/agent/conversation.ts'
import type { TurnEvent } from '../../../../src/agent/events.ts'
import { openConversation } from '../../../../src/agent/open-conversation.ts'
import type { ToolResult } from '../../../../src/core/result.ts'
import type { StoredEntry } from '../../../../src/journal/entries/entry.ts'
import type { ModelMessage, ModelRequest } from '../../../../src/model/model-client.ts'
import { createScriptClient } from '../../../../src/model/script-client.ts'
import { createRuntime } from '../../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../../src/runtime/create-runtime.ts'
import { SESSION } from '../world/script.ts'
import type { World } from '../world/world.ts'

/** What a person chooses about an interrupted turn. */
export type Choice = 'resume' | 'discard'

/** What is known of a killed process, and how its session is opened again. */
export interface TalkInspection {
  readonly printed: string
  readonly choice: Choice
  readonly planted: 'runs again' | null
}

const MOST_TURNS = 4
/** So many of them tell why a conversation ended. */
const LAST_EVENTS = 3

/** Opens a session again as a person would, lets the conversation go on to its end, and says which laws are broken. */
export async function checkTalk(
  world: World,
  script: object,
  { printed, choice, planted }: TalkInspection,
): Promise<readonly string[]> {
  const runtime = await createRuntime({
    root: world.root,
    stateDir: world.stateDir,
    config: { 'tools.run_command.enabled': true },
    approve: (requests) => requests.map(() => 'once' as const),
  })
  const asked: ModelRequest[] = []
  try {
    const model = createScriptClient('script:check', JSON.stringify(script))
    const conversation = await openConversation({
      runtime,
      session: SESSION,
      model: {
        ...model,
        stream: (request, signal) => {
          asked.push(request)
          return model.stream(request, signal)
        },
      },
    })
    const before = await conversation.recovery()
    if (planted === 'runs again') await runAgain(runtime)
    if (before !== null) await conversation[choice]()
    await answerQuestions(runtime, choice)
    const events = await goOn(conversation)
    const entries = [...runtime.log({ session: SESSION })]
    return [
      ...checkEnd(events, await conversation.recovery()),
      ...checkResults(entries),
      ...checkMarks(world),
      ...checkFiles(world, entries),
      ...checkPrinted(printed, entries),
      ...asked.flatMap(({ messages }) => checkMessages(messages)),
      ...((await runtime.verify({ session: SESSION })).ok ? [] : ['the chain does not verify']),
    ]
  } finally {
    await runtime.close()
  }
}

/** What a product does that takes an interrupted call for one that never began. */
async function runAgain(runtime: Runtime): Promise<void> {
  const entries = [...runtime.log({ session: SESSION })].map(({ entry }) => entry)
  const calls = entries.flatMap((entry) => (entry.kind === 'batch' ? entry.calls : []))
  const started = new Set(entries.flatMap((entry) => (entry.kind === 'started' ? [entry.execution] : [])))
  for (const { id } of calls.filter(({ execution }) => started.has(execution))) {
    const command = `echo ${id} >> marks.txt`
    await runtime.run([{ id, name: 'run_command', args: { command } }], { session: SESSION })
  }
}

/** A process that dies between a question and its answer leaves the question to others. */
async function answerQuestions(runtime: Runtime, choice: Choice): Promise<void> {
  if ((await runtime.pending({ session: SESSION })).length > 0)
    await runtime.decide('all', { isApproved: choice === 'resume', session: SESSION })
}

/** Goes on until the model has said its last word, as a person who wants the work done would. */
async function goOn(conversation: Conversation): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = []
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const said: TurnEvent[] = []
    for await (const event of conversation.send(turn === 0 ? null : 'go on')) said.push(event as TurnEvent)
    events.push(...said)
    const isOver = said.some((event) => event.event === 'text' && event.text === 'Done.')
    if (isOver) break
  }
  return events
}

function checkEnd(events: readonly TurnEvent[], left: unknown): readonly string[] {
  const isDone = events.findLast(({ event }) => event === 'done')
  return [
    ...(isDone?.event === 'done' && isDone.stop === 'end'
      ? []
      : [`the conversation did not go on to its end: ${JSON.stringify(events.slice(-LAST_EVENTS))}`]),
    ...(left === null ? [] : ['something is still interrupted']),
  ]
}

/** Every call of every batch has exactly one result. */
function checkResults(entries: readonly StoredEntry[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { entry } of entries) {
    if (entry.kind === 'batch') for (const { execution } of entry.calls) counts.set(execution, 0)
    if (entry.kind === 'settled') counts.set(entry.execution, (counts.get(entry.execution) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count !== 1)
    .map(([id, count]) => `call ${id} has ${count} results`)
}

/** A command leaves its mark as the first thing it does. */
function checkMarks(world: World): readonly string[] {
  const file = join(world.root, 'marks.txt')
  const marks = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd().split('\n') : []
  return marks.filter((mark, index) => marks.indexOf(mark) !== index).map((mark) => `${mark} ran twice`)
}

/** A file is there whole where its call completed, and not there where it did not. */
function checkFiles(world: World, entries: readonly StoredEntry[]): readonly string[] {
  const changed = new Set(
    entries.flatMap(({ entry }) => (entry.kind === 'settled' ? entry.changes.map(({ path }) => path) : [])),
  )
  return [
    ['one.txt', 'w1\n'],
    ['deep/two.txt', 'w2\n'],
  ].flatMap(([path = '', content]) => {
    const file = join(world.root, path)
    const found = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null
    const wanted = changed.has(path) ? content : null
    return found === wanted ? [] : [`${path} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`]
  })
}

/** What was told before the kill is on record. */
function checkPrinted(printed: string, entries: readonly StoredEntry[]): readonly string[] {
  const settled = new Set(entries.flatMap(({ entry }) => (entry.kind === 'settled' ? [entry.execution] : [])))
  return printed.split('\n').flatMap((line) => {
    if (!line.startsWith('{"event":"result"') || !line.endsWith('}')) return []
    const { execution } = JSON.parse(line) as ToolResult
    return settled.has(execution.id) ? [] : [`${execution.id} was told and is not on record`]
  })
}

/** No provider takes a call without its result right after it, or a result without its call. */
function checkMessages(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1]
    const next = messages[index + 1]
    const called = message.role === 'assistant' ? idsOf(message) : []
    if (called.length > 0 && next?.role !== 'tool') return ['calls stand without their results']
    if (message.role !== 'tool') return []
    const asked = before?.role === 'assistant' ? idsOf(before) : []
    const answered = message.results.map(({ id }) => id)
    return JSON.stringify(asked) === JSON.stringify(answered)
      ? []
      : ['results do not fit the calls before them']
  })
}

function idsOf({ parts }: Extract<ModelMessage, { role: 'assistant' }>): readonly string[] {
  return parts.flatMap((part) => (part.type === 'call' ? [part.id] : []))
}
