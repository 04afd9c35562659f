import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ToolResult } from '../../src/core/result.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import type { Face, Likeness, OpenFace } from './face.ts'
import { normalize } from './normalize.ts'
import { createPerson } from './person.ts'
import type { ScriptedPerson } from './person.ts'
import { makePlace } from './place.ts'
import type { Place } from './place.ts'
import type { Scenario, ScenarioCall, Step } from './scenario.ts'
import { readTrail } from './trail.ts'

/** What came of a scenario in a face, without what may differ. */
export interface Outcome {
  /** The rows of each step. */
  readonly rows: readonly (readonly unknown[])[]
  /** Every file at the end. */
  readonly files: Readonly<Record<string, string>>
  readonly audit: readonly unknown[]
  /** What else is on record: questions, answers, findings of the gates, undo and redo. */
  readonly trail: readonly unknown[]
  /** Answers that nobody asked for. */
  readonly unasked: number
  /** Questions that the scenario has no answer to. */
  readonly unanswered: number
  /** What is wrong with the log; null if it is whole. */
  readonly chainFault: string | null
}

/** Plays a scenario. The library can do so as another face does: each call a batch of its own, all of them one turn. */
export async function play(scenario: Scenario, face: Face, like: Likeness = face): Promise<Outcome> {
  const place = makePlace(scenario)
  try {
    await trustServers(place, scenario)
    const open = await face.open(place, scenario)
    let [unasked, unanswered] = [0, 0]
    const rows: (readonly (ToolResult | null)[])[] = []
    try {
      for (const step of scenario.steps) {
        const done = await playStep(step, open, place, like)
        // Not every client is given those of the runtime's own calls; the audit trail has them in any case.
        if (done.rows !== null) rows.push(done.rows.filter((row) => row?.origin !== 'runtime'))
        unasked += done.unasked
        unanswered += done.unanswered
      }
    } finally {
      await open.close()
    }
    return {
      ...(await readRecord(place)),
      unasked,
      unanswered,
      files: place.files(),
      rows: normalize(rows, place),
    }
  } finally {
    place.remove()
  }
}

async function trustServers(place: Place, { settings = {}, trusted = [] }: Scenario): Promise<void> {
  if (trusted.length === 0) return
  const { root, stateDir } = place
  const runtime = await createRuntime({ root, stateDir, config: settings, durability: 'normal' })
  try {
    for (const name of trusted) runtime.servers.trust(await runtime.servers.inspect(name))
  } finally {
    await runtime.close()
  }
}

interface StepEnd {
  readonly rows: readonly (ToolResult | null)[] | null
  readonly unasked: number
  readonly unanswered: number
}

const NOTHING: StepEnd = { rows: null, unasked: 0, unanswered: 0 }

async function playStep(step: Step, face: OpenFace, place: Place, like: Likeness): Promise<StepEnd> {
  switch (step.do) {
    case 'calls': {
      const { calls, answers = [], cancelAt } = step
      const person = createPerson(answers, place.put)
      const cancel = cancelAt === undefined ? null : abortWhenRunning(cancelAt)
      const batches: readonly (readonly ScenarioCall[])[] = like.hasBatches
        ? [calls]
        : calls.map((one) => [one])
      const rows: (ToolResult | null)[] = []
      for (const batch of batches) rows.push(...(await face.run(batch, { person, cancel, like })))
      return { rows, ...leftOf(person) }
    }
    case 'answer': {
      const person = createPerson(step.answers, place.put)
      const rows = await face.answer(person)
      return { rows, ...leftOf(person) }
    }
    case 'put':
      place.put(step.files)
      return NOTHING
    case 'undo': {
      const { do: _do, ...choice } = step
      await face.undo(choice)
      return NOTHING
    }
    case 'redo':
      await face.redo()
      return NOTHING
  }
}

function leftOf({ unused, unanswered }: ScriptedPerson): Omit<StepEnd, 'rows'> {
  return { unasked: unused(), unanswered: unanswered() }
}

const LOOK_MS = 20

/** A signal that is aborted once a process with these words in its command line runs. */
function abortWhenRunning(words: string): AbortSignal {
  const controller = new AbortController()
  void (async () => {
    while (!isRunning(words)) await sleep(LOOK_MS)
    controller.abort()
  })()
  return controller.signal
}

/** Whether a process runs whose command line begins with these words. */
export function isRunning(words: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').startsWith(words)
    } catch {
      return false
    }
  })
}

/** Reads what is on record as a newcomer, from the state folder alone. */
export async function readRecord(place: Place): Promise<Pick<Outcome, 'audit' | 'trail' | 'chainFault'>> {
  const { root, stateDir } = place
  const runtime = await createRuntime({ root, stateDir, durability: 'normal' })
  try {
    const audit = normalize([...runtime.audit()], place)
    const trail = normalize(readTrail(runtime.log()), place)
    const { first_bad: fault } = await runtime.verify()
    return { audit, trail, chainFault: fault?.why ?? null }
  } finally {
    await runtime.close()
  }
}
