import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { listSessions } from '../../../src/agent/sessions/list-sessions.ts'
import { findContinued } from '../../../src/agent/sessions/find-continued.ts'
import { openAppState } from '../../../src/faces/tui/open-app-state.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import type { AppOpening } from '../../../src/terminal/app-opening.ts'
import type { Entry } from '../../../src/journal/entries/entry.ts'

const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-history-'))
afterAll(() => rmSync(top, { recursive: true, force: true }))

const MODELS = ['anthropic/one', 'openai/two', 'compatible/three']
const MESSAGES = 30

/** A state folder with so many sessions in each of two roots. */
async function makeHistory(name: string, sessions: number): Promise<{ root: string; stateDir: string }> {
  const stateDir = join(top, name, 'state')
  for (const place of ['other', 'root']) {
    const root = join(top, name, place)
    mkdirSync(root, { recursive: true })
    const runtime = await createRuntime({ root, stateDir, durability: 'normal' })
    for (let number = 0; number < sessions; number++) {
      const { log, digest, noteModel, noteOpened } = await runtime.converse(`session-${number}`)
      const model = MODELS[number % MODELS.length] ?? ''
      const payloads = new Map<string, Uint8Array>()
      const entries = Array.from({ length: MESSAGES }, (_, index): Entry => {
        const isUser = index % 2 === 0
        const text = `${place} ${number} message ${index}`
        const bytes = new TextEncoder().encode(isUser ? text : JSON.stringify([{ type: 'text', text }]))
        payloads.set(digest(bytes), bytes)
        const role = isUser ? 'user' : 'assistant'
        return { kind: 'said', turn: `t${index}`, role, message: digest(bytes), model: isUser ? null : model }
      })
      noteOpened('run', null)
      noteModel({ model, baseUrl: null })
      log.append({ entries, payloads, reliance: 'recorded' })
    }
    await runtime.close()
  }
  return { root: join(top, name, 'root'), stateDir }
}

/** Counts the statements that are run meanwhile, and the rows that they give. */
async function count(work: () => Promise<unknown>): Promise<{ statements: number; rows: number }> {
  const { get, all, run } = StatementSync.prototype
  let statements = 0
  let rows = 0
  const spies = [
    vi.spyOn(StatementSync.prototype, 'get').mockImplementation(function (this: StatementSync, ...bound) {
      statements++
      const found = get.apply(this, bound)
      if (found !== undefined) rows++
      return found
    }),
    vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...bound) {
      statements++
      const found = all.apply(this, bound)
      rows += found.length
      return found
    }),
    vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...bound) {
      statements++
      return run.apply(this, bound)
    }),
  ]
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return { statements, rows }
}

async function openAppOn(place: { root: string; stateDir: string }): Promise<string | null> {
  const opening: AppOpening = {
    ...place,
    session: null,
    isContinuing: false,
    actor: 'ada',
    isAgreeing: false,
    model: null,
    baseUrl: null,
    protocol: 'auto',
    limits: {},
    preset: null,
    load: () => loadConfiguration({ ...place, env: {}, isPersonal: false }),
  }
  const nobody = {
    approval: async () => 'later' as const,
    confirmation: async () => false,
    setup: { choose: async () => null, type: async () => null, during: async () => null },
    recovery: async () => null,
  }
  const { state } = await openAppState(opening, nobody, () => undefined)
  const says = state.offer?.says ?? null
  await state.session.close()
  return says
}

describe("one user's history of a week", () => {
  it('opens with as few statements and rows as one session does, and with a handful more than an empty one', async () => {
    const [empty, one, week] = [
      await makeHistory('empty', 0),
      await makeHistory('one', 1),
      await makeHistory('week', 40),
    ]
    // The first opening of a state folder creates it.
    for (const place of [empty, one, week]) await openAppOn(place)
    const counts = []
    for (const place of [empty, one, week]) counts.push(await count(() => openAppOn(place)))
    const [none, few, many] = counts
    expect(many).toEqual(few)
    expect((many?.statements ?? Infinity) - (none?.statements ?? 0)).toBeLessThan(30)
    expect((many?.rows ?? Infinity) - (none?.rows ?? 0)).toBeLessThan(30)
    expect(await openAppOn(week)).toContain('root 39 message 0')
  }, 120_000)

  it('is searched for what to continue with as few, and listed with a handful for each session', async () => {
    const [one, week] = [await makeHistory('continue-one', 1), await makeHistory('continue-week', 40)]
    const found = async (place: { root: string; stateDir: string }) => {
      const runtime = await createRuntime({ ...place, durability: 'normal' })
      try {
        const continued = await count(() => findContinued(runtime))
        const listed = await count(() => listSessions(runtime))
        return { continued, listed }
      } finally {
        await runtime.close()
      }
    }
    const [few, many] = [await found(one), await found(week)]
    expect(many.continued).toEqual(few.continued)
    expect(many.listed.statements).toBeLessThan(40 * 30)
    expect(many.listed.rows).toBeLessThan(40 * 50)
  }, 120_000)
})
