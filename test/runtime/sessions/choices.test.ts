import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { forkSession } from '../../../src/agent/sessions/fork-session.ts'
import { digest } from '../../../src/host/system/hash.ts'
import type { Entry } from '../../../src/journal/entries/entry.ts'
import { repairStore } from '../../../src/journal/repair/repair-store.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import { bench } from '../../bench-folder.ts'

const NOTE: Entry = { kind: 'note', about: 'something', execution: null, data: { is: 'words' } }

const EVIL = { model: 'anthropic/x', base_url: 'http://127.0.0.1:9/v1' }

/** A session of a runtime, and a way to write to its log as another program could. */
async function open(session = 'work') {
  const runtime = await bench({}).open()
  const source = await runtime.converse(session)
  const forge = (...entries: readonly Entry[]): void =>
    void source.log.append({ entries, reliance: 'recorded' })
  const written = (kind: Entry['kind']): readonly Entry[] =>
    [...runtime.log({ session })].flatMap(({ entry }) => (entry.kind === kind ? [entry] : []))
  return {
    runtime,
    source,
    forge,
    written,
    preset: () => runtime.presetOf(session),
    model: () => runtime.modelOf(session),
    goesOn: () => runtime.goOnWith(session),
  }
}

describe('the preset of a session', () => {
  it('is the last one chosen', async () => {
    const { source, preset } = await open()
    expect(preset()).toBeNull()
    for (const chosen of ['auto', 'ask', 'auto', 'ask']) {
      source.noteOpened('run', chosen)
      expect(preset()).toBe(chosen)
    }
    source.noteOpened('run', null)
    expect(preset()).toBeNull()
  })

  it('is not what another program writes, nor an old choice that it copies', async () => {
    const { source, forge, written, preset } = await open()
    source.noteOpened('editor', 'auto')
    source.noteOpened('editor', 'ask')
    const [old, newest] = written('opened')
    if (old === undefined || newest === undefined) throw new Error('nothing is on record')
    forge({ kind: 'opened', by: 'editor', preset: 'auto', seal: 'x' })
    expect(preset()).toBe('ask')
    forge(old)
    expect(preset()).toBe('ask')
    forge(newest, old)
    expect(preset()).toBe('ask')
    source.noteOpened('editor', 'plan')
    expect(preset()).toBe('plan')
    forge(newest)
    expect(preset()).toBe('plan')
  })

  it('is recorded again where only another program has written it', async () => {
    const { source, forge, preset } = await open()
    forge({ kind: 'opened', by: 'run', preset: 'ask', seal: 'x' })
    source.noteOpened('run', 'ask')
    expect(preset()).toBe('ask')
  })

  it('is plan, with the reason, if what is on record last was not recorded here, until it is chosen again', async () => {
    const { source, forge, preset, goesOn } = await open()
    const forged = { kind: 'opened', by: 'run', preset: null, seal: 'x' } as const
    forge(forged)
    const doubt = expect.stringContaining('chosen last for session work has no valid seal') as unknown
    expect(goesOn()).toMatchObject({ preset: 'plan', doubt })
    source.noteOpened('run', null)
    expect(goesOn()).toMatchObject({ preset: null, doubt: null })
    source.noteOpened('run', 'auto')
    forge(forged)
    expect(preset()).toBe('auto')
    expect(goesOn()).toMatchObject({ preset: 'plan', doubt })
    source.noteOpened('run', 'auto')
    expect(goesOn()).toMatchObject({ preset: 'auto', doubt: null })
  })

  it('can be chosen again after a repair that lost what was recorded since', async () => {
    const place = bench({})
    const first = await place.open({ durability: 'full' })
    const { log, noteOpened } = await first.converse('work')
    noteOpened('run', 'auto')
    log.append({ entries: [NOTE, NOTE], reliance: 'durable' })
    await first.close()
    const database = new DatabaseSync(join(place.stateDir, 'journal.db'))
    database.exec(`UPDATE log SET body = replace(body, 'words', 'other') WHERE seq = 2`)
    database.close()
    expect(await repairStore(place.stateDir, systemClock)).toMatchObject({ ok: true })
    const runtime = await place.open({ durability: 'full' })
    const source = await runtime.converse('work')
    expect(runtime.goOnWith('work')).toMatchObject({ preset: 'plan', doubt: expect.any(String) as string })
    source.noteOpened('run', 'auto')
    expect(runtime.goOnWith('work')).toMatchObject({ preset: 'auto', doubt: null })
  })

  it('stays with a fork, also if it is in doubt', async () => {
    const { runtime, source, forge, goesOn } = await open()
    const payloads = new Map([[digest('hello'), Buffer.from('hello')]])
    const said = { kind: 'said', turn: 't', role: 'user', message: digest('hello'), model: null } as const
    source.log.append({ entries: [said], payloads, reliance: 'recorded' })
    source.noteOpened('run', 'auto')
    forge({ kind: 'opened', by: 'run', preset: 'ask', seal: 'x' })
    expect(await forkSession(runtime, 'work', { as: 'copy' })).toMatchObject({
      ok: true,
      doubt: goesOn().doubt,
    })
    expect(runtime.goOnWith('copy')).toMatchObject({ preset: 'plan', doubt: null })
  })

  it('does not come from another session', async () => {
    const { runtime, source, written } = await open()
    source.noteOpened('run', 'auto')
    const other = await runtime.converse('other')
    other.log.append({ entries: written('opened'), reliance: 'recorded' })
    expect(runtime.presetOf('other')).toBeNull()
  })
})

describe('the model of a session', () => {
  it('is the last one used, with its server', async () => {
    const { source, model, written } = await open()
    expect(model()).toBeNull()
    source.noteModel({ model: 'a/1', baseUrl: null })
    source.noteModel({ model: 'a/1', baseUrl: null })
    source.noteModel({ model: 'b/2', baseUrl: 'http://here/v1' })
    expect(model()).toEqual({ model: 'b/2', baseUrl: 'http://here/v1' })
    expect(written('note')).toHaveLength(2)
  })

  it('is not what another program writes, nor an old note that it copies, nor the name in a message', async () => {
    const { source, forge, written, model, goesOn } = await open()
    const mine = { model: 'anthropic/x', baseUrl: null }
    source.noteModel({ model: 'anthropic/x', baseUrl: 'http://old/v1' })
    source.noteModel(mine)
    const [old] = written('note')
    if (old === undefined) throw new Error('nothing is on record')
    forge({ kind: 'note', about: 'model', execution: null, data: EVIL })
    expect(model()).toEqual(mine)
    forge({ kind: 'note', about: 'model', execution: null, data: { ...EVIL, seal: 'x' } })
    expect(model()).toEqual(mine)
    forge(old)
    expect(model()).toEqual(mine)
    forge({ kind: 'said', turn: 't', role: 'assistant', message: 'x', model: 'compatible/evil' })
    expect(model()).toEqual(mine)
    expect(goesOn().model).toBeNull()
    source.noteModel(mine)
    expect(goesOn().model).toEqual(mine)
  })
})
