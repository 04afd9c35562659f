import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import { digest, seal } from '../../../src/host/system/hash.ts'
import { readKey } from '../../../src/journal/chain/anchor-file.ts'
import { readTrusted } from '../../../src/journal/grants/read-trust.ts'
import { repairStore } from '../../../src/journal/repair/repair-store.ts'
import { stateFiles } from '../../../src/journal/store/state-files.ts'
import { distrust, isTrusted, trust } from '../../../src/runtime/configure/trust.ts'
import { forgetServer, readTrustedPins, trustPins } from '../../../src/runtime/servers/trusted-pins.ts'
import { readDefinitions } from '../../../src/servers/definition.ts'
import { makeScratch } from '../../harness/scratch.ts'

const TEXT = 'tools.mode = "enabled"\n'

const at = (stateDir: string) => ({ stateDir, witness: '' })

function make() {
  const scratch = makeScratch()
  const stateDir = scratch.at('state')
  const list = join(stateDir, 'trust.json')
  const write = (entries: object): void => writeFileSync(list, JSON.stringify(entries))
  return { scratch, stateDir, list, write }
}

describe('what a person trusts', () => {
  it('is exactly the text for that root', () => {
    const { stateDir } = make()
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    expect(trust(at(stateDir), '/a', TEXT)).toBe(digest(TEXT))
    trust(at(stateDir), '/b', 'other')
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(true)
    expect(isTrusted(stateDir, '/a', `${TEXT} `)).toBe(false)
    expect(isTrusted(stateDir, '/b', TEXT)).toBe(false)
  })

  it('is not what another program writes into the list, nor what it copies to another root or state folder', () => {
    const { stateDir, list, write } = make()
    mkdirSync(stateDir)
    write({ '/a': digest(TEXT) })
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    trust(at(stateDir), '/b', TEXT)
    const sealed = (JSON.parse(readFileSync(list, 'utf8')) as Readonly<Record<string, string>>)['/b']
    write({ '/a': sealed, '/b': sealed, '/c': digest(TEXT), '/d': '' })
    expect(['/a', '/b', '/c', '/d'].map((root) => isTrusted(stateDir, root, TEXT))).toEqual([
      false,
      true,
      false,
      false,
    ])
    const other = make()
    trust(at(other.stateDir), '/x', TEXT)
    other.write({ '/b': sealed })
    expect(isTrusted(other.stateDir, '/b', TEXT)).toBe(false)
  })

  it('is read from the journal once for all texts, and again after a change', () => {
    const { stateDir } = make()
    for (const root of ['/a', '/b']) trust(at(stateDir), root, TEXT)
    readTrusted(stateDir)
    const read = readTrusted(stateDir)
    expect(read.size).toBe(2)
    expect(readTrusted(stateDir)).toBe(read)
    distrust(at(stateDir), '/a')
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    expect(readTrusted(stateDir).size).toBe(1)
  })

  it('is not what was trusted before, also if the list of then is put back', () => {
    const { stateDir, list } = make()
    trust(at(stateDir), '/a', TEXT)
    const then = readFileSync(list)
    trust(at(stateDir), '/a', 'other')
    writeFileSync(list, then)
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    expect(isTrusted(stateDir, '/a', 'other')).toBe(false)
    // Whoever reads the old text again may trust it again.
    trust(at(stateDir), '/a', TEXT)
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(true)
  })

  it('is not what was withdrawn, also if the list of then is put back', () => {
    const { stateDir, list } = make()
    for (const root of ['/a', '/b']) trust(at(stateDir), root, TEXT)
    const then = readFileSync(list)
    distrust(at(stateDir), '/a')
    writeFileSync(list, then)
    expect(['/a', '/b'].map((root) => isTrusted(stateDir, root, TEXT))).toEqual([false, true])
  })

  it('is not what a server offered before it was removed, also if its files of then are put back', () => {
    const { scratch, stateDir } = make()
    const tool = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }
    trustPins(at(stateDir), { name: 'files' }, readDefinitions([tool]).tools)
    expect(readTrustedPins(stateDir, 'files')).toHaveLength(1)
    const then = scratch.at('then')
    for (const name of ['trust.json', 'mcp'])
      cpSync(join(stateDir, name), join(then, name), { recursive: true })
    forgetServer(at(stateDir), 'files')
    expect(readTrustedPins(stateDir, 'files')).toBe(null)
    for (const name of ['trust.json', 'mcp'])
      cpSync(join(then, name), join(stateDir, name), { recursive: true })
    expect(readTrustedPins(stateDir, 'files')).toBe(null)
  })

  it('is not for a server that a client handed over under the same name as another one', () => {
    const { stateDir } = make()
    const tool = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }
    const [one, other] = ['a'.repeat(64), 'b'.repeat(64)]
    trustPins(at(stateDir), { name: 'files', boundTo: one }, readDefinitions([tool]).tools)
    expect(readTrustedPins(stateDir, 'files', one)).toHaveLength(1)
    expect(readTrustedPins(stateDir, 'files', other)).toBe(null)
    expect(readTrustedPins(stateDir, 'files')).toBe(null)
  })

  it('ends if the chain of grants was changed, and if a repair cannot tell what was trusted since', async () => {
    const { stateDir } = make()
    trust(at(stateDir), '/a', TEXT)
    const database = new DatabaseSync(join(stateDir, 'journal.db'))
    database.exec("UPDATE log SET body = replace(body, 'trusted', 'trustet') WHERE body LIKE '%trusted%'")
    database.close()
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    await repairStore(stateDir, systemClock)
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    trust(at(stateDir), '/a', TEXT)
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(true)
  })

  it('is trusted again once if an earlier version listed it, which wrote no entry about it', () => {
    const { stateDir, write } = make()
    trust(at(stateDir), '/b', 'other')
    const key = readKey(stateFiles(stateDir).key)
    if (key === null) throw new Error('there is no key')
    write({ '/a': seal(key, `tongs trust 1\n/a\n${digest(TEXT)}`) })
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    trust(at(stateDir), '/a', TEXT)
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(true)
  })

  it('can be read where the state folder cannot be written to', () => {
    const { stateDir } = make()
    trust(at(stateDir), '/a', TEXT)
    const copy = makeScratch().at('copy')
    cpSync(stateDir, copy, { recursive: true })
    chmodSync(join(copy, 'journal.db'), 0o400)
    expect(isTrusted(copy, '/a', TEXT)).toBe(true)
  })
})
