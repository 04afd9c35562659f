import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/host/system/clock.ts'
import { CHAIN_START, chainHash, sessionId } from '../../src/journal/chain/chain.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import { verifyStore } from '../../src/journal/chain/verify-store.ts'
import { content, declareCall, payloadsOf, recordCall, settledOf } from './sample-entries.ts'
import { journalErrorOf, makeStateFolder, makeUnlisted, SESSION } from './state-folder.ts'
import type { StateFolder } from './state-folder.ts'

const OTHER = { root: '/r', name: 'other' }
const BODY = `json_set(body, '$.name', 'innocent')`

const original = mkdtempSync(join(tmpdir(), 'tongs-tampering-'))
let folder: StateFolder

/** Two sessions: six entries in one, four in the other. */
beforeAll(async () => {
  const store = openSqliteStore({ stateDir: original, durability: 'full', clock: systemClock })
  const log = await store.open(SESSION)
  for (const number of [1, 2, 3]) recordCall(log, number, [], 'durable')
  const other = await store.open(OTHER)
  for (const number of [4, 5]) recordCall(other, number, [], 'durable')
  log.openBatches()
  store.close()
})

afterAll(() => rmSync(original, { recursive: true, force: true }))

beforeEach(() => {
  folder = makeStateFolder(original)
})

const bad = (): unknown => {
  const { ok, first_bad } = folder.verify()
  return ok ? null : first_bad
}

function hashes(session: typeof SESSION): readonly string[] {
  const database = new DatabaseSync(folder.files.database)
  const rows = database
    .prepare(
      'SELECT hash FROM log JOIN session s ON s.id = session WHERE s.name = ? AND seq IS NOT NULL ORDER BY seq',
    )
    .all(session.name)
  database.close()
  return rows.map((row) => Buffer.from(row['hash'] as Uint8Array).toString('hex'))
}

describe('an event cannot be altered in silence', () => {
  it('an untouched journal verifies, whole and by session', () => {
    expect(folder.verify()).toMatchObject({ ok: true, events: 10, sessions: 2, first_bad: null, erased: 0 })
    expect(verifyStore(folder.path, { session: OTHER })).toMatchObject({ ok: true, events: 4, sessions: 1 })
    expect(verifyStore(folder.path, { session: { root: '/none', name: 'x' } })).toMatchObject({
      ok: true,
      events: 0,
    })
  })

  it('a folder without a journal is in order and stays empty', () => {
    const path = join(folder.path, 'nothing')
    expect(verifyStore(path)).toMatchObject({ ok: true, events: 0, sessions: 0 })
    expect(existsSync(path)).toBe(false)
  })

  it.for([
    ['a changed body', `UPDATE log SET body = ${BODY} WHERE session = 1 AND seq = 4`, 4, 'changed'],
    ['a changed time', 'UPDATE log SET at = at + 1 WHERE session = 1 AND seq = 2', 2, 'changed'],
    ['a changed hash', `UPDATE log SET hash = zeroblob(32) WHERE session = 1 AND seq = 6`, 6, 'changed'],
    ['a body that is no JSON', `UPDATE log SET body = 'x' WHERE session = 1 AND seq = 3`, 3, 'changed'],
    [
      'a body that is no text',
      `UPDATE log SET body = x'00' WHERE session = 1 AND seq = 3`,
      3,
      'no longer an entry',
    ],
    ['another kind in the margin', `UPDATE log SET kind = 'note' WHERE session = 1 AND seq = 4`, 4, 'filed'],
    [
      'other calls in the margin',
      `UPDATE log SET calls = '["e000002"]' WHERE session = 1 AND seq = 2`,
      2,
      'filed',
    ],
    ['no calls in the margin', `UPDATE log SET calls = NULL WHERE session = 1 AND seq = 2`, 2, 'filed'],
    ['a removed entry', 'DELETE FROM log WHERE session = 1 AND seq = 3', 3, 'missing'],
    ['a removed first entry', 'DELETE FROM log WHERE session = 1 AND seq = 1', 1, 'missing'],
    ['a cut end', 'DELETE FROM log WHERE session = 1 AND seq = 6', 6, 'missing'],
    ['a longer cut end', 'DELETE FROM log WHERE session = 1 AND seq > 2', 3, 'missing'],
    [
      'two entries in each other’s place',
      'UPDATE log SET seq = 7 - seq WHERE session = 1 AND seq IN (3, 4)',
      3,
      'missing',
    ],
    [
      'a repeated entry',
      'INSERT INTO log (kind, session, seq, at, hash, calls, body) SELECT kind, session, seq, at, hash, calls, body FROM log WHERE session = 1 AND seq = 2',
      2,
      'duplicated',
    ],
    [
      'an entry put in at the end',
      'INSERT INTO log (kind, session, seq, at, hash, calls, body) SELECT kind, session, 7, at, hash, calls, body FROM log WHERE session = 1 AND seq = 6',
      7,
      'inserted',
    ],
    [
      'an entry moved to another session',
      'UPDATE log SET session = 2, seq = 5 WHERE session = 1 AND seq = 6',
      1,
      'missing',
    ],
    [
      'an entry of no session',
      'UPDATE log SET session = 9 WHERE session = 1 AND seq = 6',
      6,
      'not belong to any session',
    ],
    ['an entry that the tables hide', 'DELETE FROM place WHERE session = 1 AND seq = 4', 4, 'hidden'],
    [
      'an entry that the tables show as another',
      `UPDATE place SET kind = 'note' WHERE session = 1 AND seq = 4`,
      4,
      'hidden',
    ],
    [
      'a call that the tables do not find',
      `DELETE FROM about WHERE execution = 'e000002' AND seq = 4`,
      4,
      'hidden',
    ],
    [
      'a changed payload',
      `UPDATE log SET body = x'00' WHERE kind = 'payload' AND hash = x'${content('result 2').digest}'`,
      4,
      'payload',
    ],
    [
      'a payload of the wrong type',
      `UPDATE log SET body = 'text' WHERE kind = 'payload' AND hash = x'${content('args 3').digest}'`,
      5,
      'payload',
    ],
  ] as const)('R-T-006: %s is named', ([, sql, seq, why]) => {
    folder.tamper(sql)
    expect(bad()).toMatchObject({
      session: sql.includes('session = 2,') ? 'other' : sql.includes('session = 9') ? '' : 's',
      seq,
    })
    expect((bad() as { why: string }).why).toContain(why)
  })

  it('a call without an end that the tables hide is named', async () => {
    await folder.use((log) => {
      declareCall(log, 9)
      log.openBatches()
    })
    expect(bad()).toBeNull()
    folder.tamper('DELETE FROM open_call')
    expect(bad()).toMatchObject({ session: 's', seq: 7, why: expect.stringContaining('is hidden') })
  })

  it('the rows of two sessions cannot change places', () => {
    folder.tamper('UPDATE log SET session = 3 - session WHERE session IN (1, 2)')
    expect(bad()).toMatchObject({ seq: 1 })
  })

  it('the names of two sessions cannot change places', () => {
    folder.tamper(
      `UPDATE session SET name = 'x' WHERE id = 1; UPDATE session SET name = 's' WHERE id = 2; UPDATE session SET name = 'other' WHERE id = 1`,
    )
    expect(bad()).toMatchObject({ seq: 1 })
  })

  it('R-T-006: an entry added with a right hash is named, because the log was closed', () => {
    const body = JSON.stringify(settledOf('b9', 9))
    const hash = chainHash(hashes(SESSION).at(-1) ?? '', { session: sessionId(SESSION), seq: 7, at: 5, body })
    folder.tamper(
      'INSERT INTO log (kind, session, seq, at, hash, calls, body) VALUES (?, 1, 7, 5, ?, ?, ?)',
      'settled',
      Buffer.from(hash, 'hex'),
      '["e000009"]',
      body,
    )
    expect(bad()).toMatchObject({ session: 's', seq: 7 })
  })

  it('R-T-006: a log that was rewritten from the first entry on, with right hashes, does not fit its anchor', () => {
    const database = new DatabaseSync(folder.files.database)
    let previous = CHAIN_START
    for (const row of database
      .prepare('SELECT id, seq, at, body FROM log WHERE session = 1 AND seq IS NOT NULL ORDER BY seq')
      .all()) {
      const body = String(row['body']).replaceAll('ada', 'eve')
      previous = chainHash(previous, {
        session: sessionId(SESSION),
        seq: Number(row['seq']),
        at: Number(row['at']),
        body,
      })
      database
        .prepare('UPDATE log SET body = ?, hash = ? WHERE id = ?')
        .run(body, Buffer.from(previous, 'hex'), Number(row['id']))
    }
    database.close()
    expect(bad()).toMatchObject({ session: 's', seq: 6 })
    expect((bad() as { why: string }).why).toContain('rewritten')
  })
})

describe('what vouches for the log lies outside of it', () => {
  it('R-T-006: an old copy that was put back is named', async () => {
    const copy = join(folder.path, 'copy.db')
    copyFileSync(folder.files.database, copy)
    await folder.use((log) => recordCall(log, 7, [], 'durable'))
    expect(bad()).toBeNull()
    copyFileSync(copy, folder.files.database)
    expect(bad()).toMatchObject({ session: 's', seq: 7 })
    expect((bad() as { why: string }).why).toContain('old copy')
  })

  it('another journal in its place is named, and refused for use', async () => {
    const other = makeStateFolder()
    await other.use((log) => recordCall(log, 1, [], 'durable'))
    copyFileSync(other.files.database, folder.files.database)
    expect(bad()).not.toBeNull()
    const error = await journalErrorOf(() => folder.open())
    expect(error.code).toBe('swapped')
  })

  it('an empty journal in its place is named', () => {
    const other = makeStateFolder()
    other.open().close()
    copyFileSync(other.files.database, folder.files.database)
    expect(bad()).toMatchObject({ seq: 1 })
  })

  it('a removed journal is named', () => {
    rmSync(folder.files.database)
    expect(folder.verify()).toMatchObject({ ok: false, first_bad: { seq: 0 } })
    expect(existsSync(folder.files.database)).toBe(false)
  })

  it('a missing anchor is named', () => {
    rmSync(folder.files.anchorOf(sessionId(OTHER)))
    expect(bad()).toMatchObject({ session: 'other', seq: 4 })
  })

  it('a forged anchor is named, whatever was changed in it', () => {
    const path = folder.files.anchorOf(sessionId(SESSION))
    const text = readFileSync(path, 'latin1')
    for (const forged of [
      text.replace(' 6 ', ' 5 '),
      text.replace('closed', 'open'),
      text.slice(0, 100),
      '',
      text.toUpperCase(),
    ]) {
      writeFileSync(path, forged)
      expect(bad()).toMatchObject({ session: 's' })
    }
    writeFileSync(path, text)
    expect(bad()).toBeNull()
  })

  it('the anchor of one session does not serve another', () => {
    copyFileSync(folder.files.anchorOf(sessionId(OTHER)), folder.files.anchorOf(sessionId(SESSION)))
    expect(bad()).toMatchObject({ session: 's' })
  })

  it('an exchanged or lost key vouches for nothing', async () => {
    const other = makeStateFolder()
    other.open().close()
    copyFileSync(other.files.key, folder.files.key)
    expect(bad()).toMatchObject({ session: 's' })
    rmSync(folder.files.key)
    expect(folder.verify()).toMatchObject({ ok: false })
    expect((await journalErrorOf(() => folder.open())).code).toBe('key_missing')
    expect(existsSync(folder.files.key)).toBe(false)
  })

  it('a session that was removed as a whole is named, with or without its anchor', () => {
    folder.tamper(
      'DELETE FROM log WHERE session = 2; DELETE FROM session WHERE id = 2; DELETE FROM place WHERE session = 2; DELETE FROM about WHERE session = 2',
    )
    expect(bad()).toMatchObject({ session: 'other', root: '/r', seq: 1 })
    rmSync(folder.files.anchorOf(sessionId(OTHER)))
    expect(bad()).toMatchObject({ session: '', seq: 0 })
  })

  it('removed anchors are named, also the one of the whole store', () => {
    const away = join(folder.path, 'away')
    renameSync(folder.files.anchors, away)
    expect(bad()).toMatchObject({ session: 's' })
    renameSync(away, folder.files.anchors)
    rmSync(folder.files.storeAnchor)
    expect(bad()).toMatchObject({ session: '' })
  })

  it('R-T-006: what was found once stays known, whatever is appended later', async () => {
    folder.tamper('DELETE FROM log WHERE session = 1 AND seq > 4')
    await folder.use((log) => {
      expect(log.breach).toMatchObject({ seq: 5 })
      for (const number of [7, 8, 9]) recordCall(log, number, [], 'durable')
    })
    expect(bad()).toMatchObject({ session: 's', seq: 5 })
    await folder.use((log) => expect(log.breach).toMatchObject({ seq: 5 }))
    rmSync(folder.files.anchorOf(sessionId(SESSION)))
    await folder.use((log) => recordCall(log, 10, [], 'durable'))
    expect(bad()).toMatchObject({ session: 's' })
  })
})

describe('a state folder from before sessions were listed when they were closed', () => {
  it('verifies as it is, is taken over when it is opened, and a session put back since then is named', async () => {
    const aside = join(folder.files.anchors, 'aside')
    copyFileSync(folder.files.anchorOf(sessionId(SESSION)), aside)
    await folder.use((log) => recordCall(log, 7, [], 'durable'))
    makeUnlisted(folder)
    const older = readFileSync(aside)
    rmSync(aside)
    expect(bad()).toBeNull()
    const putBack = (): void => {
      writeFileSync(folder.files.anchorOf(sessionId(SESSION)), older)
      folder.tamper(
        'DELETE FROM log WHERE session = 1 AND seq > 6; DELETE FROM place WHERE session = 1 AND seq > 6; DELETE FROM about WHERE session = 1 AND seq > 6',
      )
    }
    const untaken = makeStateFolder(folder.path)
    folder.open('normal').close()
    folder.open().close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 12 })
    putBack()
    expect(bad()).toMatchObject({ session: 's', seq: 7 })
    folder = untaken
    putBack()
    expect(bad()).toBeNull()
  })

  it('is not taken over again once its closings are gone', () => {
    folder.tamper('DELETE FROM closing')
    expect(bad()).not.toBeNull()
    folder.open().close()
    expect(bad()).not.toBeNull()
  })
})

describe('what is no tampering', () => {
  it('under normal durability, a lost end', async () => {
    const loose = makeStateFolder()
    await loose.use((log) => [1, 2, 3].forEach((number) => recordCall(log, number, [], 'durable')), {
      durability: 'normal',
    })
    loose.tamper('DELETE FROM log WHERE seq > 3')
    expect(loose.verify()).toMatchObject({ ok: true, events: 3 })
    await loose.use((log) => {
      expect(log.breach).toBeNull()
      recordCall(log, 4, [], 'durable')
    })
    expect(loose.verify()).toMatchObject({ ok: true, events: 5 })
    loose.tamper(`UPDATE log SET body = ${BODY} WHERE seq = 2`)
    expect(loose.verify()).toMatchObject({ ok: false, first_bad: { seq: 2 } })
  })

  it('what was safe under full durability stays so after a time under normal', async () => {
    await folder.use((log) => recordCall(log, 7, [], 'durable'), { durability: 'normal' })
    folder.tamper('DELETE FROM log WHERE session = 1 AND seq > 6')
    expect(bad()).toBeNull()
    folder.tamper('DELETE FROM log WHERE session = 1 AND seq > 5')
    expect(bad()).toMatchObject({ session: 's', seq: 6 })
  })

  it('entries that were only recorded and are lost with the power', async () => {
    const left = `${folder.path}-left`
    await folder.use((log) => {
      declareCall(log, 7)
      cpSync(folder.path, left, { recursive: true })
    })
    // As if the machine had lost its power before the session was closed.
    rmSync(folder.path, { recursive: true })
    renameSync(left, folder.path)
    rmSync(folder.files.segments, { recursive: true, force: true })
    folder.tamper('DELETE FROM log WHERE session = 1 AND seq = 7')
    expect(bad()).toBeNull()
    await folder.use((log) => recordCall(log, 8, [], 'durable'))
    expect(folder.verify()).toMatchObject({ ok: true, events: 12 })
  })

  it('an anchor that is behind, because its owner was killed', async () => {
    const anchor = folder.files.anchorOf(sessionId(SESSION))
    await folder.use((log) => {
      declareCall(log, 7)
      const behind = readFileSync(anchor)
      log.append({ entries: [settledOf('b7', 7)], payloads: payloadsOf('result 7'), reliance: 'durable' })
      log.close()
      writeFileSync(anchor, behind)
    })
    expect(folder.verify()).toMatchObject({ ok: true, events: 12 })
  })

  it('a journal that is being written while it is checked', async () => {
    await folder.use((log) => {
      recordCall(log, 7, [], 'durable')
      expect(folder.verify()).toMatchObject({ ok: true, events: 12 })
      declareCall(log, 8)
      expect(folder.verify()).toMatchObject({ ok: true, events: 13 })
    })
  })

  it('checking leaves every byte of the database as it was', () => {
    const before = readFileSync(folder.files.database)
    folder.verify()
    expect(readFileSync(folder.files.database).equals(before)).toBe(true)
    expect(readdirSync(folder.path).filter((name) => name.includes('damaged'))).toEqual([])
  })
})
