import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../src/host/system/clock.ts'
import { seal, sealKey } from '../../src/host/system/hash.ts'
import { verifyStore } from '../../src/journal/chain/verify-store.ts'
import { repairStore } from '../../src/journal/repair/repair-store.ts'
import { CHAIN_START, chainHash, sessionId } from '../../src/journal/chain/chain.ts'
import { readTrusted } from '../../src/journal/grants/read-trust.ts'
import { GRANT_CHAIN } from '../../src/journal/grants/grant-chain.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import type { Entry, SessionKey } from '../../src/journal/entries/entry.ts'
import { changesOf, executionsOf } from '../../src/journal/entries/mentions.ts'
import type { StateFiles } from '../../src/journal/store/state-files.ts'
import { describeOpenEnd } from './open-end-contract.ts'
import { makeStateFolder } from './state-folder.ts'
import { describeTamperedStore } from './tampered-store-contract.ts'
import type { TamperedStore } from './tampered-store-contract.ts'

const PAGE_BYTES = 4096

const PLANTS: Readonly<Record<string, string>> = {
  'a trigger "drops"': `CREATE TRIGGER drops AFTER INSERT ON log BEGIN DELETE FROM log WHERE kind = 'payload'; END`,
  'a view "shows"': 'CREATE VIEW shows AS SELECT * FROM log',
  'an index "hides"': 'CREATE INDEX hides ON log (seq) WHERE seq < 3',
  'a table "extra"': 'CREATE TABLE extra (x)',
  'another column in "seen"': 'ALTER TABLE seen ADD COLUMN more TEXT',
  'a view in place of "place"':
    'ALTER TABLE place RENAME TO hidden; CREATE VIEW place AS SELECT * FROM hidden',
  'the want of "grants_of_root"': 'DROP INDEX grants_of_root',
  'another text of "grants_of_root"':
    'DROP INDEX grants_of_root; CREATE INDEX grants_of_root ON grants (root, id)',
}

/** The first page of a table or index, counted from 1. */
function pageOf(path: string, name: string): number {
  const database = new DatabaseSync(path)
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)
  database.close()
  return Number(row?.['rootpage'])
}

function rewrite(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path)
  change(bytes)
  writeFileSync(path, bytes)
}

function flip(path: string, name: string, from: number, count: number): void {
  const start = (pageOf(path, name) - 1) * PAGE_BYTES + from
  rewrite(path, (bytes) => {
    for (let at = start; at < start + count; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff
  })
}

function cut(path: string, share: number): void {
  const pages = readFileSync(path).length / PAGE_BYTES
  truncateSync(path, Math.floor(pages * share) * PAGE_BYTES)
}

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'flipped bytes in the index of contents': (path) => flip(path, 'payload_place', 4000, 40),
  'flipped bytes in the index of names': (path) => flip(path, 'sqlite_autoindex_session_1', 4080, 16),
  'a torn page of the calls': (path) => flip(path, 'about', 0, 8),
  'a torn page of the ledger': (path) => flip(path, 'seen', 0, 8),
  'a wrong number of free pages': (path) =>
    rewrite(path, (bytes) => bytes.writeUInt32BE(bytes.readUInt32BE(36) + 3, 36)),
  'a list of free pages that leads nowhere': (path) =>
    rewrite(path, (bytes) => bytes.writeUInt32BE(0x7fffff, 32)),
  'the loss of the last page': (path) => cut(path, 1 - 1e-9),
  'the loss of the second half': (path) => cut(path, 0.5),
}

/** By name: the kind, the session, and the columns `calls` and `body` of a row. */
const MARKS: Readonly<Record<string, string>> = {
  'a row of the ledger that is not JSON': "'ledger', 1, NULL, 'x'",
  'a row of the ledger that is not a list': `'ledger', 1, NULL, '{"path":"a","at":1}'`,
  'a row of the ledger with a word in it': `'ledger', 1, NULL, '["x"]'`,
  'a row of the ledger without a path': `'ledger', 1, NULL, '[{"at":1}]'`,
  'a row of the ledger without a right time': `'ledger', 1, NULL, '[{"path":"a","at":"x"}]'`,
  'a row of the ledger of no session': `'ledger', NULL, NULL, '[{"path":"a","at":1}]'`,
  'a landing that is not JSON': "'landed', 1, 'x', NULL",
  'a synced landing that is not a list': `'synced', 1, '{"a":1}', NULL`,
}

/** Replaces a text in an entry of the first session and gives it and all that follow it right hashes. */
function rewriteChain(path: string, from: number, text: string, by: string): void {
  const database = new DatabaseSync(path)
  const { root, name } = database.prepare('SELECT root, name FROM session WHERE id = 1').get() ?? {}
  const session = sessionId({ root: String(root), name: String(name) })
  const update = database.prepare('UPDATE log SET body = ?, hash = ? WHERE id = ?')
  let previous = CHAIN_START
  for (const row of database.prepare('SELECT * FROM log WHERE session = 1 AND seq > 0 ORDER BY seq').all()) {
    const [seq, at, old] = [Number(row['seq']), Number(row['at']), String(row['body'])]
    const body = seq === from ? old.replaceAll(text, by) : old
    previous = chainHash(previous, { session, seq, at, body })
    update.run(body, Buffer.from(previous, 'hex'), Number(row['id']))
  }
  database.close()
}

/** Makes an anchor say again what Tongs writes into it while a session is open. */
function reopenAnchor(files: StateFiles, session: SessionKey): void {
  const path = files.anchorOf(sessionId(session))
  const key = sealKey(readFileSync(files.key))
  const text = readFileSync(path, 'latin1')
  const words = text.slice(0, ANCHOR_BYTES).trimEnd().split(' ').slice(0, -1)
  const open = words.map((word) => (word === 'closed' ? 'open' : word)).join(' ')
  writeFileSync(
    path,
    `${`${open} ${seal(key, open)}`.padEnd(ANCHOR_BYTES - 1)}\n${text.slice(ANCHOR_BYTES)}`,
    'latin1',
  )
}

const ANCHOR_BYTES = 512

/** Adds an entry as a program does that knows how the chain is made. */
function addEntry(path: string, session: SessionKey, entry: Entry): void {
  const database = new DatabaseSync(path)
  const { id } =
    database.prepare('SELECT id FROM session WHERE root = ? AND name = ?').get(session.root, session.name) ??
    {}
  const last = database
    .prepare('SELECT seq, hex(hash) AS hash FROM log WHERE session = ? AND seq > 0 ORDER BY seq DESC LIMIT 1')
    .get(Number(id))
  const [seq, at] = [Number(last?.['seq']) + 1, 1]
  const body = JSON.stringify(entry)
  const calls = executionsOf(entry)
  const before = String(last?.['hash']).toLowerCase()
  const hash = chainHash(before, { session: sessionId(session), seq, at, body })
  database
    .prepare(
      'INSERT INTO log (kind, session, seq, at, hash, calls, lands, body) VALUES (?, ?, ?, ?, unhex(?), ?, ?, ?)',
    )
    .run(
      entry.kind,
      Number(id),
      seq,
      at,
      hash,
      calls.length === 0 ? null : JSON.stringify(calls),
      changesOf(entry).length === 0 ? null : 1,
      body,
    )
  database.close()
}

function makeTampered(segments: 'auto' | 'always'): TamperedStore {
  const { path, files, tamper } = makeStateFolder()
  const copy: TamperedStore['copy'] = () => {
    const saved = makeStateFolder(path)
    return {
      restore: () => {
        rmSync(path, { recursive: true })
        cpSync(saved.path, path, { recursive: true, preserveTimestamps: true })
      },
      putGrantHistoryBack: () => {
        const chain = sessionId(GRANT_CHAIN)
        for (const name of [chain, 'store']) cpSync(saved.files.anchorOf(name), files.anchorOf(name))
        tamper(`ATTACH '${saved.files.database}' AS saved;
          DELETE FROM main.log WHERE session = (SELECT id FROM main.session WHERE root = '')
            AND seq > (SELECT max(seq) FROM saved.log WHERE session = (SELECT id FROM saved.session WHERE root = ''));
          DELETE FROM main.place WHERE id NOT IN (SELECT id FROM main.log);
          INSERT OR REPLACE INTO main.grants SELECT * FROM saved.grants`)
      },
      putSessionBack: (name) => {
        const own = sessionId({ root: '/r', name })
        cpSync(saved.files.anchorOf(own), files.anchorOf(own))
        tamper(`ATTACH '${saved.files.database}' AS saved;
          DELETE FROM main.log WHERE session = (SELECT id FROM main.session WHERE name = '${name}')
            AND seq > (SELECT max(seq) FROM saved.log WHERE session = (SELECT id FROM saved.session WHERE name = '${name}'));
          DELETE FROM main.place WHERE id NOT IN (SELECT id FROM main.log);
          DELETE FROM main.about WHERE (session, seq) NOT IN (SELECT session, seq FROM main.place)`)
      },
      putClosingsBack: () =>
        tamper(`ATTACH '${saved.files.database}' AS saved; DELETE FROM main.closing;
          INSERT INTO main.closing SELECT * FROM saved.closing`),
      putGrantsBack: () =>
        tamper(
          `ATTACH '${saved.files.database}' AS saved; INSERT OR REPLACE INTO main.grants SELECT * FROM saved.grants`,
        ),
    }
  }
  return {
    open: (witness) =>
      openSqliteStore({ stateDir: path, durability: 'full', clock: systemClock, witness, segments }),
    verify: (options) => verifyStore(path, options),
    witness: `${path}.witness`,
    copy,
    removeContent: (digest) =>
      tamper(`DELETE FROM log WHERE kind = 'payload' AND hash = x'${digest}';
      DELETE FROM payload_place WHERE digest = x'${digest}'`),
    changeContent: (digest, bytes) =>
      tamper(`UPDATE log SET body = CAST('${bytes}' AS BLOB) WHERE kind = 'payload' AND hash = x'${digest}'`),
    plant: (name) => tamper(PLANTS[name] ?? ''),
    spoil: (name) => DAMAGES[name]?.(files.database),
    sealItself: (seq) =>
      tamper(`UPDATE log SET kind = 'note', calls = NULL, lands = NULL, body = json_object('kind', 'note', 'about', 'sealed',
        'execution', NULL, 'data', json_object('contents', json_array(), 'breach', NULL, 'spans',
        json_array(json_object('from', seq, 'to', seq, 'hash', lower(hex(hash)))))) WHERE session = 1 AND seq = ${seq};
        UPDATE place SET kind = 'note' WHERE session = 1 AND seq = ${seq}`),
    addTo: (seq) =>
      tamper(`UPDATE log SET body = json_set(body, '$.more', 1) WHERE session = 1 AND seq = ${seq}`),
    garble: (seq) => tamper(`UPDATE log SET body = '{ torn' WHERE session = 1 AND seq = ${seq}`),
    claim: (seq, hash) =>
      tamper(`DELETE FROM log WHERE session = 1 AND seq = ${seq};
        INSERT INTO log (kind, session, seq, at, hash, body) VALUES ('note', 1, ${seq}, 1, x'${hash}', '{ torn')`),
    cutFrom: (seq) =>
      tamper(
        `DELETE FROM log WHERE session = 1 AND seq >= ${seq}; DELETE FROM place WHERE session = 1 AND seq >= ${seq}`,
      ),
    removeEntry: (seq) => tamper(`DELETE FROM log WHERE session = 1 AND seq = ${seq}`),
    dropDerived: () =>
      tamper('DELETE FROM place; DELETE FROM about; DELETE FROM open_call; DELETE FROM payload_place'),
    repair: () => repairStore(path, systemClock),
    forgeSeen: (file, digest) =>
      tamper(`INSERT OR REPLACE INTO seen (session, path, digest, at, ranges, seal)
        SELECT 1, '${file}', '${digest}', 1, 'null', (SELECT max(seal) FROM seen)`),
    plantMark: (name) =>
      // The newest row stays in any case, so another one follows.
      tamper(
        `INSERT INTO log (kind, session, calls, body) VALUES (${MARKS[name] ?? ''}), ('ledger', 1, NULL, '[]')`,
      ),
    garbleCalls: (seq) =>
      tamper(`UPDATE log SET calls = '{ torn' WHERE session = 1 AND seq = ${seq};
        UPDATE meta SET value = 0 WHERE key = 'folded'`),
    forgeUnlanded: (execution) =>
      tamper(
        `INSERT INTO unlanded SELECT session, calls ->> 0, seq FROM log WHERE lands = 1 AND calls ->> 0 = '${execution}'`,
      ),
    forgeChange: (execution, digest) =>
      tamper(`UPDATE log SET body = json_set(body, '$.changes[0].after.digest', '${digest}')
        WHERE lands = 1 AND calls ->> 0 = '${execution}'`),
    rewrite: (seq, from, to) => rewriteChain(files.database, seq, from, to),
    leaveOpen: (session) => reopenAnchor(files, session),
    addEntry: (session, entry) => addEntry(files.database, session, entry),
    claimEnds: () =>
      tamper('UPDATE end_seal AS e SET seq = (SELECT max(l.seq) FROM log l WHERE l.session = e.session)'),
    trusted: () => [...readTrusted(path).keys()],
    hashOf: (seq) => {
      const database = new DatabaseSync(files.database)
      const row = database.prepare('SELECT hex(hash) AS hash FROM log WHERE session = 1 AND seq = ?').get(seq)
      database.close()
      return String(row?.['hash']).toLowerCase()
    },
    hide: (seq) => tamper(`UPDATE place SET kind = 'note' WHERE session = 1 AND seq = ${seq}`),
    unlist: (seq) => tamper(`DELETE FROM about WHERE session = 1 AND seq = ${seq}`),
    overstate: () => tamper("UPDATE meta SET value = 999999 WHERE key = 'folded'"),
    dropSeals: () => tamper('DELETE FROM changes_seal'),
    forgeValue: (name, value) => tamper(`INSERT OR REPLACE INTO meta VALUES ('kept:${name}', '${value}')`),
    renameValue: (name, to) => tamper(`UPDATE meta SET key = 'kept:${to}' WHERE key = 'kept:${name}'`),
  }
}

const KINDS = {
  plants: Object.keys(PLANTS),
  damages: Object.keys(DAMAGES),
  marks: Object.keys(MARKS),
} as const

describeTamperedStore('a journal in SQLite', () => makeTampered('auto'), KINDS)
describeTamperedStore('a journal with segments', () => makeTampered('always'), KINDS)
describeOpenEnd('a journal in SQLite', () => makeTampered('auto'))
describeOpenEnd('a journal with segments', () => makeTampered('always'))
