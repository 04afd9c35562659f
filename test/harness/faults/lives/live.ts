import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { ToolCall } from '../../../../src/core/call.ts'
import type { Entry } from '../../../../src/journal/entries/entry.ts'
import { verifyStore } from '../../../../src/journal/chain/verify-store.ts'
import { createRuntime } from '../../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../../src/runtime/create-runtime.ts'
import { liveUntil } from '../mortal.ts'
import { copyAll } from '../world/world.ts'
import type { World } from '../world/world.ts'
import { seedMachine } from './seeded-machine.ts'
import type { SeededMachine } from './seeded-machine.ts'

/** What a life came to. */
export interface Life {
  readonly faults: readonly string[]
  /** What was done, to be read by people. */
  readonly acts: readonly string[]
  /** A digest of all entries of all sessions: the same seed gives the same. */
  readonly log: string
  readonly crashes: number
}

const SESSIONS = ['one', 'two'] as const
const ACTS = 14
const FILES = 3
const MOST_STEPS = 130
/** A bug of the product that the model has to notice. */
export type Bug = 'writes beside the log' | null

/** What has to be true of the files of a session: after the edits that count, in their order. */
interface Model {
  /** Contents by file after each edit that is in force; the first is empty. */
  states: ReadonlyMap<string, string>[]
  /** What was undone and may be redone. */
  undone: ReadonlyMap<string, string>[]
  /** How many undos its log has. */
  undos: number
}

/** Lives a random life: calls, answers, undos, redos and crashes in two sessions, each checked against a simple model. */
export async function live(world: World, seed: number, bug: Bug = null): Promise<Life> {
  const machine = seedMachine(seed)
  try {
    return await new RandomLife(world, machine, bug).run()
  } finally {
    machine.end()
  }
}

class RandomLife {
  readonly #world: World
  readonly #machine: SeededMachine
  readonly #bug: Bug
  readonly #models = new Map<string, Model>(
    SESSIONS.map((name) => [name, { states: [new Map()], undone: [], undos: 0 }]),
  )
  readonly #faults: string[] = []
  readonly #acts: string[] = []
  #calls = 0
  #crashes = 0

  constructor(world: World, machine: SeededMachine, bug: Bug) {
    this.#world = world
    this.#machine = machine
    this.#bug = bug
  }

  async run(): Promise<Life> {
    for (let turn = 0; turn < ACTS && this.#faults.length === 0; turn++) {
      const session = SESSIONS[this.#choose(SESSIONS.length)] ?? 'one'
      if (this.#choose(3) === 0) await this.#crash(session)
      else await this.#inRuntime((runtime) => this.#act(runtime, session))
      await this.#inRuntime(async (runtime) => this.#check(runtime))
    }
    let log = ''
    await this.#inRuntime(async (runtime) => {
      const entries = SESSIONS.flatMap((session) => [...runtime.log({ session })])
      log = createHash('sha256').update(JSON.stringify(entries)).digest('hex')
    })
    return { faults: this.#faults, acts: this.#acts, log, crashes: this.#crashes }
  }

  #choose(limit: number): number {
    return Math.floor(this.#machine.random() * limit)
  }

  #open(approve: 'once' | 'later' = 'once'): Promise<Runtime> {
    return createRuntime({
      root: this.#world.root,
      stateDir: this.#world.stateDir,
      clock: this.#machine.clock,
      approve: (requests) => (approve === 'later' ? 'later' : requests.map(() => 'once' as const)),
    })
  }

  async #inRuntime(use: (runtime: Runtime) => Promise<void>): Promise<void> {
    const runtime = await this.#open()
    try {
      await runtime.ready()
      await use(runtime)
    } finally {
      await runtime.close()
    }
  }

  #modelOf(session: string): Model {
    const model = this.#models.get(session)
    if (model === undefined) throw new Error(`there is no session ${session}`)
    return model
  }

  #write(session: string): { readonly call: ToolCall; readonly path: string; readonly content: string } {
    const path = `${session}-${this.#choose(FILES)}.txt`
    const content = `${session} ${++this.#calls}\n`
    const call = { id: `c${this.#calls}`, name: 'write_file', args: { path, content } }
    return { call, path, content }
  }

  async #act(runtime: Runtime, session: string): Promise<void> {
    const model = this.#modelOf(session)
    const kind = this.#choose(4)
    this.#acts.push(`${session}: ${['write', 'read', 'undo', 'redo'][kind]}`)
    if (kind === 0) {
      const { call, path, content } = this.#write(session)
      await runtime.run([{ id: `r${this.#calls}`, name: 'read_file', args: { path } }], { session })
      const [result] = await runtime.run([call], { session })
      if (result?.ok !== true) this.#faults.push(`a write failed: ${result?.content}`)
      if (this.#bug !== null && this.#choose(2) === 0)
        fs.writeFileSync(join(this.#world.root, path), 'beside\n')
      this.#applied(model, path, content)
    } else if (kind === 1) {
      const path = `${session}-${this.#choose(FILES)}.txt`
      await runtime.run([{ id: `r${++this.#calls}`, name: 'read_file', args: { path } }], { session })
    } else if (kind === 2) {
      const { ok } = await runtime.undo({ session })
      if (ok !== model.states.length > 1) this.#faults.push(`undo says ${ok}`)
      if (ok) this.#undone(model)
    } else {
      const { ok } = await runtime.redo({ session })
      if (ok !== model.undone.length > 0) this.#faults.push(`redo says ${ok}`)
      if (ok) this.#redone(model)
    }
  }

  #applied(model: Model, path: string, content: string): void {
    model.states.push(new Map(model.states.at(-1) ?? []).set(path, content))
    model.undone = []
  }

  #undone(model: Model): void {
    const last = model.states.pop()
    if (last !== undefined) model.undone.push(last)
  }

  #redone(model: Model): void {
    const next = model.undone.pop()
    if (next !== undefined) model.states.push(next)
  }

  /** A process dies at one of its steps; the log then says whether its edit counts. */
  async #crash(session: string): Promise<void> {
    const model = this.#modelOf(session)
    const { call, path, content } = this.#write(session)
    const isUndo = this.#choose(2) === 0
    const step = 1 + this.#choose(MOST_STEPS)
    this.#acts.push(`${session}: ${isUndo ? 'undo' : 'write'}, dies at step ${step}`)
    const { stateDir, top } = this.#world
    const saved = join(top, 'state-at-death')
    fs.rmSync(saved, { recursive: true, force: true })
    let runtime: Runtime | null = null
    const { diedAt } = await liveUntil(
      (_step, number) => number === step,
      () => fs.existsSync(stateDir) && copyAll(stateDir, saved),
      async () => {
        runtime = await this.#open()
        if (isUndo) await runtime.undo({ session })
        else await runtime.run([call], { session })
        await runtime.close()
      },
      { reach: 'effects', close: async () => (runtime as Runtime | null)?.close().catch(() => undefined) },
    )
    if (diedAt !== null) {
      this.#crashes++
      fs.rmSync(stateDir, { recursive: true, force: true })
      if (fs.existsSync(saved)) fs.renameSync(saved, stateDir)
    }
    await this.#inRuntime(async (after) => {
      await after.recover({ session, choice: 'discard' })
      const entries = [...after.log({ session })].map(({ entry }) => entry)
      if (isUndo) {
        const undos = entries.filter(({ kind }) => kind === 'undo').length
        if (undos > model.undos) this.#undone(model)
      } else if (
        entries.some(
          (entry) =>
            entry.kind === 'settled' &&
            entry.changes.some(
              (change) =>
                change.path === path && entry.error === null && isOf(entries, entry.execution, call.id),
            ),
        )
      )
        this.#applied(model, path, content)
    })
  }

  #check(runtime: Runtime): void {
    const expected = new Map(SESSIONS.flatMap((name) => [...(this.#modelOf(name).states.at(-1) ?? [])]))
    const found = new Map(
      fs
        .readdirSync(this.#world.root)
        .toSorted()
        .map((name) => [name, fs.readFileSync(join(this.#world.root, name), 'utf8')]),
    )
    for (const name of new Set([...expected.keys(), ...found.keys()]))
      if (expected.get(name) !== found.get(name))
        this.#faults.push(
          `${name}: expected ${expected.get(name) ?? 'nothing'}, found ${found.get(name) ?? 'nothing'}`,
        )
    const report = verifyStore(this.#world.stateDir)
    if (!report.ok) this.#faults.push(`the log does not verify: ${report.first_bad?.why}`)
    for (const session of SESSIONS) {
      const entries = [...runtime.log({ session })]
      this.#modelOf(session).undos = entries.filter(({ entry }) => entry.kind === 'undo').length
    }
  }
}

/** Whether an execution is that of a call, by the id that the call was given. */
function isOf(entries: readonly Entry[], execution: string, id: string): boolean {
  return entries.some(
    (entry) =>
      entry.kind === 'batch' && entry.calls.some((call) => call.id === id && call.execution === execution),
  )
}
