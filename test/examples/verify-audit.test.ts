import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { CHAIN_START, chainHash, sessionId } from '../../src/journal/chain/chain.ts'
import { systemClock } from '../../src/host/system/clock.ts'
import { seal, sealKey } from '../../src/host/system/hash.ts'
import { repairStore } from '../../src/journal/repair/repair-store.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import { recordCall } from '../journal/sample-entries.ts'
import { makeStateFolder } from '../journal/state-folder.ts'
import type { StateFolder } from '../journal/state-folder.ts'

const SCRIPT = join(TOP, 'examples/verify-audit.mjs')
const box = mkdtempSync(join(tmpdir(), 'tongs-verify-'))
const root = join(box, 'root')
const original = join(box, 'state')
let folder: StateFolder

/** Reads, an edit, a denial and a crash of a tool, in two sessions. */
async function makeJournal(stateDir: string): Promise<void> {
  const runtime = await createRuntime({ root, stateDir, config: { tools: { approval: { mode: 'auto' } } } })
  const calls = [
    { id: '1', name: 'write_file', args: { path: 'b.txt', content: 'b' } },
    { id: '2', name: 'read_file', args: { path: 'b.txt' } },
    { id: '3', name: 'run_command', args: { command: 'true' } },
  ]
  await runtime.run(calls, { session: 'one', actor: { id: 'ada' } })
  await runtime.run(calls.slice(1), { session: 'two' })
  await runtime.close()
  rmSync(join(root, 'b.txt'))
}

beforeAll(async () => {
  cpSync(join(TOP, 'LICENSE'), join(root, 'LICENSE'))
  await makeJournal(original)
})
afterAll(() => rmSync(box, { recursive: true, force: true }))
beforeEach(() => {
  folder = makeStateFolder(original)
})

function verify(...more: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder.path, ...more], {
    encoding: 'utf8',
  })
  return { status, said: (stdout + stderr).trimEnd() }
}

/** Writes a chain anew after a change, as somebody would who knows how it is made and has no key. */
function rewriteChain(change: (body: string) => string, step = 1): void {
  const database = new DatabaseSync(folder.files.database)
  const { id, name } = database.prepare("SELECT id, name FROM session WHERE name = 'one'").get() as {
    id: number
    name: string
  }
  const session = sessionId({ root, name })
  let previous = CHAIN_START
  const rows = database.prepare(
    'SELECT id, seq, at, body FROM log WHERE session = ? AND seq IS NOT NULL ORDER BY seq',
  )
  for (const row of rows.all(id)) {
    const body = change(String(row['body']))
    const seq = Number(row['seq']) * step
    previous = chainHash(previous, { session, seq, at: Number(row['at']), body })
    database
      .prepare('UPDATE log SET seq = ?, body = ?, hash = ? WHERE id = ?')
      .run(seq, body, Buffer.from(previous, 'hex'), Number(row['id']))
  }
  database.close()
}

/** Adds a note to a session with the right hash; gives its number. */
function addToOne(): number {
  const database = new DatabaseSync(folder.files.database)
  const last = database
    .prepare(
      "SELECT session, seq, hash FROM log WHERE session = (SELECT id FROM session WHERE name = 'one') ORDER BY seq DESC LIMIT 1",
    )
    .get() as { session: number; seq: number; hash: Uint8Array }
  const body = '{"kind":"note","about":"x","execution":null,"data":1}'
  const [session, seq] = [sessionId({ root, name: 'one' }), last.seq + 1]
  const hash = chainHash(Buffer.from(last.hash).toString('hex'), { session, seq, at: 5, body })
  database
    .prepare("INSERT INTO log (kind, session, seq, at, hash, body) VALUES ('note', ?, ?, 5, ?, ?)")
    .run(last.session, seq, Buffer.from(hash, 'hex'), body)
  database.close()
  return seq
}

describe('the independent verifier', () => {
  it('is short, and imports nothing of ours', () => {
    const text = readFileSync(SCRIPT, 'utf8')
    expect(text.split('\n').length).toBeLessThan(175)
    expect([...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from?.split(':')[0])).toEqual(
      Array(5).fill('node'),
    )
  })

  it('finds a journal in order, with the key and without, and agrees with ours on how much there is', () => {
    const { events } = folder.verify()
    expect(verify()).toEqual({ status: 0, said: `${events} entries in order, as their anchors say` })
    rmSync(folder.files.key)
    expect(verify()).toEqual({
      status: 0,
      said: `${events} entries in order, without a key for their anchors`,
    })
  })

  it('finds it in order if many calls were recorded at once, and a pack of them that was changed', async () => {
    const store = folder.open()
    const log = await store.open({ root, name: 'many' }, 0)
    for (let number = 100; number < 200; number++) recordCall(log, number)
    store.close()
    const { events } = folder.verify()
    expect(verify()).toEqual({ status: 0, said: `${events} entries in order, as their anchors say` })
    folder.tamper("UPDATE pack SET texts = x'00'")
    expect(verify()).toMatchObject({ status: 1, said: expect.stringContaining('was changed') })
  })

  it('can look while somebody writes', async () => {
    const store = folder.open()
    const log = await store.open({ root, name: 'one' }, 0)
    log.append({ entries: [{ kind: 'note', about: 'x', execution: null, data: 1 }], reliance: 'recorded' })
    const { status } = verify()
    store.close()
    expect(status).toBe(0)
    expect(verify().status).toBe(0)
  })

  it('still finds it in order after contents were erased', async () => {
    const runtime = await createRuntime({ root, stateDir: folder.path })
    expect(await runtime.forget({ session: 'one' })).toMatchObject({ ok: true })
    expect((await runtime.verify()).erased).toBeGreaterThan(0)
    await runtime.close()
    expect(verify().status).toBe(0)
  })

  const ONE = "session = (SELECT id FROM session WHERE name = 'one')"

  it.each([
    [
      'a changed entry',
      `UPDATE log SET body = replace(body, 'ada', 'eve') WHERE ${ONE} AND seq = 1`,
      'entry 1: was changed',
    ],
    ['a changed time', `UPDATE log SET at = at + 1 WHERE ${ONE} AND seq = 2`, 'entry 2: was changed'],
    ['a removed entry', `DELETE FROM log WHERE ${ONE} AND seq = 2`, 'entry 2: is missing'],
    ['a removed first entry', `DELETE FROM log WHERE ${ONE} AND seq = 1`, 'entry 1: is missing'],
    [
      'a cut end',
      `DELETE FROM log WHERE ${ONE} AND seq = (SELECT max(seq) FROM log WHERE ${ONE})`,
      'the end was cut off',
    ],
    [
      'two entries changed over',
      `UPDATE log SET seq = 3 - seq WHERE ${ONE} AND seq IN (1, 2)`,
      'entry 1: is missing',
    ],
    [
      'an entry of another session',
      `UPDATE log SET session = 99 WHERE ${ONE} AND seq = 1`,
      'entry 0: is missing',
    ],
    [
      'another name for a session',
      `UPDATE session SET name = 'innocent' WHERE name = 'one'`,
      'entry 1: was changed',
    ],
    [
      'a removed session',
      `DELETE FROM log WHERE ${ONE}; DELETE FROM session WHERE name = 'one'`,
      'the end was cut off',
    ],
    ['a changed payload', `UPDATE log SET body = x'00' WHERE kind = 'payload'`, 'payload'],
    ['changed findings', `UPDATE findings SET list = replace(list, 'pass', 'fail')`, 'findings'],
    ['removed findings', `DELETE FROM findings WHERE tool = 'read_file'`, 'findings'],
  ])('names %s', (_what, sql, why) => {
    folder.tamper(sql)
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining(why) })
    expect(folder.verify().ok).toBe(false)
  })

  it('finds a chain that was written anew only with the key, and finds it then', () => {
    rewriteChain((body) => body.replaceAll('ada', 'eve'))
    expect(verify('/nowhere')).toMatchObject({ status: 0 })
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('is not the one that was recorded') })
  })

  it('finds a gap in one that was written anew, also without the key', () => {
    rewriteChain((body) => body, 2)
    expect(verify('/nowhere')).toEqual({ status: 1, said: expect.stringContaining('entry 1: is missing') })
  })

  it('names an entry that was put in while nobody had the log open', () => {
    const last = addToOne()
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining(`entry ${last} was put in`) })
  })

  it('names an entry that was added to a session whose process was killed', async () => {
    const store = folder.open()
    recordCall(await store.open({ root, name: 'one' }, 0), 7, [], 'durable')
    const open = `${folder.path}.anchors`
    cpSync(folder.files.anchors, open, { recursive: true })
    store.close()
    cpSync(open, folder.files.anchors, { recursive: true })
    rmSync(open, { recursive: true })
    expect(verify().status).toBe(0)
    const last = addToOne()
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining(`entry ${last} was put in`) })
    expect(folder.verify()).toMatchObject({ ok: false, first_bad: { seq: last } })
  })

  it('names an anchor that is gone, forged, or of another database', async () => {
    const first = readdirSync(folder.files.anchors).find((name) => name !== 'store') ?? ''
    const path = join(folder.files.anchors, first)
    const good = readFileSync(path)
    rmSync(path)
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('anchor is missing') })
    writeFileSync(path, good.toString('latin1').replace(' closed ', ' open   '))
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('forged') })
    writeFileSync(path, good)
    const other = makeStateFolder()
    await makeJournal(other.path)
    cpSync(other.files.database, folder.files.database)
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('belongs to another database') })
  })

  it.each([
    ['an entry that is no longer JSON', `UPDATE log SET body = '{' WHERE ${ONE} AND seq IN (2, 3)`, 2],
    ['a removed entry', `DELETE FROM log WHERE ${ONE} AND seq = 2`, 1],
    [
      'a removed content',
      `DELETE FROM log WHERE kind = 'payload' AND id = (SELECT min(id) FROM log WHERE kind = 'payload')`,
      0,
    ],
  ])('takes %s for what it is once a repair has sealed it, and nothing else', async (_what, sql, sealed) => {
    folder.tamper(sql)
    expect(await repairStore(folder.path, systemClock)).toMatchObject({ ok: true })
    const { events } = folder.verify()
    const counted = sealed === 0 ? '' : ` (${sealed} sealed as damaged)`
    expect(verify()).toEqual({
      status: 0,
      said: `${events} entries in order${counted}, as their anchors say`,
    })
    folder.tamper(`UPDATE log SET body = replace(body, '"kind"', '"kinds"') WHERE ${ONE} AND seq = 4`)
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('entry 4: was changed') })
    expect(folder.verify().ok).toBe(false)
  })

  it.each([
    ['a closing was changed', 'UPDATE closing SET seq = seq - 1 WHERE id = 1', 'closing 1 was changed'],
    ['the list is gone', 'DELETE FROM closing', 'closings are missing that an anchor knows'],
    [
      'its end is gone',
      'DELETE FROM closing WHERE id = (SELECT max(id) FROM closing)',
      'closings are missing that an anchor knows',
    ],
  ])('notices that %s, as we do', (_what, sql, why) => {
    expect(verify().status).toBe(0)
    folder.tamper(sql)
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining(why) })
    expect(folder.verify().ok).toBe(false)
  })

  it('notices a session that was put back with its anchor', async () => {
    const copy = makeStateFolder(folder.path)
    const session = { root, name: 'one' }
    await folder.use((log) => void recordCall(log, 90, [], 'durable'), { session })
    const name = basename(folder.files.anchorOf(sessionId(session)))
    cpSync(join(copy.files.anchors, name), join(folder.files.anchors, name))
    folder.tamper(`DELETE FROM log WHERE ${ONE} AND seq > (SELECT max(seq) - 2 FROM log WHERE ${ONE})`)
    folder.tamper(`DELETE FROM place WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.id = place.id)`)
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('put back to an older state') })
    expect(folder.verify().ok).toBe(false)
  })

  it('believes no repair that Tongs did not make, where the end of a session is open', async () => {
    const session = { root, name: 'open' }
    await folder.use((log) => void recordCall(log, 1, [], 'durable'), { session })
    const anchor = folder.files.anchorOf(sessionId(session))
    const text = readFileSync(anchor, 'latin1')
    const words = text.slice(0, 512).trimEnd().split(' ').slice(0, -1)
    const open = words.map((word) => (word === 'closed' ? 'open' : word)).join(' ')
    const sealed = `${open} ${seal(sealKey(readFileSync(folder.files.key)), open)}`
    writeFileSync(anchor, `${sealed.padEnd(511)}\n${text.slice(512)}`, 'latin1')
    expect(verify().status).toBe(0)
    const OPEN = "session = (SELECT id FROM session WHERE name = 'open')"
    folder.tamper(`UPDATE log SET body = replace(body, '"kind"', '"kinds"') WHERE ${OPEN} AND seq = 1`)
    const database = new DatabaseSync(folder.files.database)
    const rows = database.prepare(
      `SELECT session, seq, hex(hash) AS hash FROM log WHERE ${OPEN} ORDER BY seq`,
    )
    const all = rows.all() as { session: number; seq: number; hash: string }[]
    const [first, last] = [all[0], all.at(-1)]
    if (first === undefined || last === undefined) throw new Error('nothing is on record')
    const data = { spans: [{ from: 1, to: 1, hash: first.hash.toLowerCase() }], contents: [], breach: null }
    const place = { session: sessionId(session), seq: last.seq + 1, at: 5 }
    const note = database.prepare(
      "INSERT INTO log (kind, session, seq, at, hash, body) VALUES ('note', ?, ?, 5, unhex(?), ?)",
    )
    const body = JSON.stringify({ kind: 'note', about: 'sealed', execution: null, data })
    note.run(last.session, place.seq, chainHash(last.hash.toLowerCase(), { ...place, body }), body)
    database.close()
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('entry 1: was changed') })
    expect(folder.verify().ok).toBe(false)
  })

  it('believes no entry that seals itself', () => {
    const hash = 'ab'.repeat(32)
    const data = { spans: [{ from: 2, to: 2, hash }], contents: [], breach: null }
    const body = JSON.stringify({ kind: 'note', about: 'sealed', execution: null, data })
    folder.tamper(`UPDATE log SET kind = 'note', hash = x'${hash}', body = ? WHERE ${ONE} AND seq = 2`, body)
    expect(verify()).toEqual({ status: 1, said: expect.stringContaining('entry 2: was changed') })
  })

  it('says that it cannot tell where there is no journal', () => {
    rmSync(folder.files.database)
    expect(verify()).toEqual({ status: 2, said: expect.stringContaining('there is no journal') })
  })
})
