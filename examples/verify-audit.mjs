// Verifies a state folder from docs/audit.md alone: node verify-audit.mjs FOLDER [KEY-FILE]
// Exits with 0 if everything is in order, 1 if something was changed, 2 if it cannot tell.
// It leaves to tongs audit verify: the witness, earlier heads, the tables, rows of grants, why contents are missing.
import { createHash, createHmac } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'

const START = '0'.repeat(64)
const sha256 = (data) => createHash('sha256').update(data).digest('hex')
const hmac = (key, text) => createHmac('sha256', key).update(text).digest('hex')
const sort = (value) => Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
const canonical = (value) => JSON.stringify(value, (_, at) => (at?.constructor === Object ? sort(at) : at))
const hex = (blob) => Buffer.from(blob ?? []).toString('hex')
const PAYLOADS_AND_FINDINGS = `SELECT id, hash, body FROM log WHERE kind = 'payload' UNION ALL
  SELECT id, unhex(doc ->> '$.gates.as'), CAST(list AS BLOB) FROM
  (SELECT id, iif(json_valid(text), text, '{}') AS doc FROM
  (SELECT id, entry_text(body) AS text FROM log WHERE kind = 'settled')) LEFT JOIN findings
  ON tool = doc ->> 'name' AND digest = unhex(doc ->> '$.gates.as') WHERE doc ->> '$.gates.as' IS NOT NULL`
const SEALS = `SELECT session, seq, doc -> '$.data' AS data, s.root, s.name FROM
  (SELECT *, iif(json_valid(body), body, '{}') AS doc FROM log WHERE kind = 'note' AND seq IS NOT NULL) AS n
  JOIN session AS s ON s.id = n.session WHERE doc ->> 'about' = 'sealed' ORDER BY seq DESC`

/** The text of an entry: its body, or a line of the pack that this names; null if that is gone or damaged. */
function readText(database, body) {
  if (typeof body !== 'number') return body
  const pack = database.prepare('SELECT texts FROM pack WHERE id = ?').get(Math.floor(body / 128))
  try {
    return zstdDecompressSync(pack.texts).toString().split('\n')[body % 128] ?? null
  } catch {
    return null
  }
}

/** The damaged entries that a repair knows of, by session; a note counts with its seal, if no later one covers it. */
function readSeals(database, key) {
  const seals = new Map()
  for (const { session, seq, data, root, name } of key === null ? [] : database.prepare(SEALS).iterate()) {
    const [later, { seal, ...said }] = [seals.get(session) ?? [], JSON.parse(data) ?? {}]
    const text = `tongs note 1\n${sha256(JSON.stringify([root, name]))}\n${seq}\nsealed\n${canonical(said)}`
    if (seal !== hmac(key, text) || later.some(({ from, to }) => from <= seq && seq <= to)) continue
    seals.set(session, [...later, ...said.spans.filter(({ to }) => to < seq)])
  }
  return seals
}

/** Follows every chain from its first entry to its last; `bad` is where one breaks. */
function followChains(database, key) {
  const [seals, sealed, chains, bad] = [readSeals(database, key), new Set(), new Map(), []]
  for (const { id, root, name } of database.prepare('SELECT id, root, name FROM session').iterate())
    chains.set(id, { name, id: sha256(JSON.stringify([root, name])), hashes: [START] })
  let events = 0
  for (const row of database.prepare('SELECT * FROM log WHERE seq IS NOT NULL ORDER BY id').iterate()) {
    const { name, id, hashes } = chains.get(row.session) ?? { name: '?', id: '', hashes: [] }
    const [next, stored] = [hashes.length, hex(row.hash)]
    const isIn = ({ from, to, hash }) => from <= next && row.seq <= to && (row.seq < to || hash === stored)
    const isSealed = row.seq >= next && (seals.get(row.session) ?? []).some(isIn)
    const text = readText(database, row.body)
    const hash = sha256(`${hashes.at(-1)}\n${id}\n${row.seq}\n${row.at}\n${text}`)
    const why = row.seq === next ? 'was changed' : 'is missing, or another stands in its place'
    if (!isSealed && (row.seq !== next || hash !== stored))
      return { chains, events, sealed, bad: [`session ${JSON.stringify(name)}, entry ${next}: ${why}`] }
    if (isSealed) sealed.add(row.id)
    hashes[row.seq] = stored
    events++
  }
  for (const { id, hash, body } of database.prepare(PAYLOADS_AND_FINDINGS).iterate())
    if (!sealed.has(id) && (!(body instanceof Uint8Array) || sha256(body) !== hex(hash)))
      bad.push(`payload or findings ${hex(hash)}: was changed`)
  return { chains, events, sealed, bad }
}

/** The anchors by file name; null for one without a valid seal. */
function readAnchors(folder, key) {
  const anchors = new Map()
  for (const file of readdirSync(folder).filter((name) => !name.includes('.'))) {
    const words = readFileSync(join(folder, file), 'latin1').slice(0, 512).trimEnd().split(' ')
    const isSealed = words.pop() === hmac(key, words.join(' '))
    const [magic, database, of, headSeq, headHash, syncedSeq, syncedHash, standing, , breach, ...more] = words
    const closed = magic === 'tongs-anchor-2' && more.length === 2 ? [Number(more[0]), more[1]] : [0, START]
    const synced = [Number(syncedSeq), syncedHash]
    const head = [Number(headSeq), headHash]
    const isOurs = isSealed && /^tongs-anchor-[12]$/.test(magic)
    anchors.set(file, isOurs ? { database, of, synced, head, standing, breach, closed } : null)
  }
  return anchors
}

/** How far each chain is sealed as a whole, by the id of its session; 0 without a seal that fits it. */
function readEnds(database, key, chains) {
  const ends = new Map()
  for (const { session, seq, seal } of database.prepare('SELECT * FROM end_seal').iterate()) {
    const { id, hashes = [] } = chains.get(session) ?? {}
    const isOurs = seal === hmac(key, `tongs end 1\n${JSON.stringify([id, seq, hashes[seq]])}`)
    ends.set(id, isOurs ? seq : 0)
  }
  return ends
}

/** What an anchor says against its chain, or null; `hashes` has one more than there are entries. */
function judge(anchor, of, database, hashes, end) {
  const last = hashes.length - 1
  if (anchor === undefined) return last === 0 ? null : 'nothing vouches for it: its anchor is missing'
  if (anchor === null || anchor.of !== of) return 'its anchor is forged'
  if (anchor.database !== database) return 'its anchor belongs to another database'
  if (anchor.breach !== '-') return `it was found ${anchor.breach} before`
  const { synced, head } = anchor
  if (synced[0] > last) return `entry ${last + 1} is missing: the end was cut off`
  const wrong = [synced, head].find(([seq, hash]) => seq > 0 && seq <= last && hashes[seq] !== hash)
  if (wrong !== undefined) return `entry ${wrong[0]} is not the one that was recorded`
  const known = anchor.standing === 'closed' ? head[0] : Math.max(head[0], end)
  return last > known ? `entry ${known + 1} was put in` : null
}

/** What the list of closings says against the chains, or the anchors against it; null if nothing. */
function judgeClosings(database, key, chains, anchors) {
  const links = [START]
  const closings = database.prepare('SELECT * FROM closing ORDER BY id')
  for (const { id, session, seq, hash, link } of closings.iterate()) {
    const { name, id: of, hashes } = chains.get(session) ?? { name: '?', id: '', hashes: [] }
    const text = `tongs closing 1\n${links.at(-1)}\n${id}\n${of}\n${seq}\n${hex(hash)}`
    if (id !== links.length || link !== hmac(key, text))
      return `closing ${links.length} was changed or removed`
    if (seq >= hashes.length) return `session ${JSON.stringify(name)}: it was put back to an older state`
    if (hashes[seq] !== hex(hash))
      return `session ${JSON.stringify(name)}: entry ${seq} is not the one it was closed with`
    links.push(link)
  }
  const isListed = ({ closed: [number, link] }) => links[number] === link
  return anchors.every(isListed) ? null : 'closings are missing that an anchor knows'
}

function verify(folder, keyFile) {
  const file = join(folder, 'journal.db')
  if (!existsSync(file)) throw new Error(`there is no journal in ${folder}`)
  const key = existsSync(keyFile) ? readFileSync(keyFile) : null
  const anchors = key === null ? new Map() : readAnchors(join(folder, 'anchors'), key)
  const database = new DatabaseSync(file, { readOnly: true })
  database.exec('BEGIN')
  database.function('entry_text', (body) => readText(database, body))
  const id = String(database.prepare("SELECT value FROM meta WHERE key = 'database'").get()?.value)
  const { chains, events, sealed, bad } = followChains(database, key)
  const known = [...anchors.values()].filter((anchor) => anchor !== null)
  const found = `${events} entries in order${sealed.size === 0 ? '' : ` (${sealed.size} sealed as damaged)`}`
  if (key === null) return { bad, found: `${found}, without a key for their anchors` }
  const ends = readEnds(database, key, chains)
  for (const chain of bad.length === 0 ? chains.values() : []) {
    const name = chain.id.slice(0, 32)
    const why = judge(anchors.get(name), chain.id, id, chain.hashes, ends.get(chain.id) ?? 0)
    if (why !== null) bad.push(`session ${JSON.stringify(chain.name)}: ${why}`)
    anchors.delete(name)
  }
  const why = judge(anchors.get('store'), 'store', id, Array(chains.size + 1).fill(START), chains.size)
  if (why !== null) bad.push(`the list of sessions: ${why}`)
  for (const [name, anchor] of bad.length === 0 ? anchors : [])
    if (name !== 'store' && anchor?.synced[0] !== 0) bad.push(`the session of anchor ${name} is missing`)
  const closings = bad.length === 0 ? judgeClosings(database, key, chains, known) : null
  if (closings !== null) bad.push(closings)
  return { bad, found: `${found}, as their anchors say` }
}

try {
  const [folder = '.', keyFile = join(folder, 'key')] = process.argv.slice(2)
  const { bad, found } = verify(folder, keyFile)
  console.log(bad[0] ?? found)
  process.exitCode = bad.length === 0 ? 0 : 1
} catch (error) {
  console.error(`cannot tell: ${error.message}`)
  process.exitCode = 2
}
