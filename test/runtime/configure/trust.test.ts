import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digest } from '../../../src/host/system/hash.ts'
import { isTrusted, trust } from '../../../src/runtime/configure/trust.ts'
import { makeScratch } from '../../harness/scratch.ts'

const TEXT = 'tools.mode = "enabled"\n'

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
    expect(trust(stateDir, '/a', TEXT)).toBe(digest(TEXT))
    trust(stateDir, '/b', 'other')
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(true)
    expect(isTrusted(stateDir, '/a', `${TEXT} `)).toBe(false)
    expect(isTrusted(stateDir, '/b', TEXT)).toBe(false)
  })

  it('is not what another program writes into the list, nor what it copies to another root or state folder', () => {
    const { stateDir, list, write } = make()
    mkdirSync(stateDir)
    write({ '/a': digest(TEXT) })
    expect(isTrusted(stateDir, '/a', TEXT)).toBe(false)
    trust(stateDir, '/b', TEXT)
    const sealed = (JSON.parse(readFileSync(list, 'utf8')) as Readonly<Record<string, string>>)['/b']
    write({ '/a': sealed, '/b': sealed, '/c': digest(TEXT), '/d': '' })
    expect(['/a', '/b', '/c', '/d'].map((root) => isTrusted(stateDir, root, TEXT))).toEqual([
      false,
      true,
      false,
      false,
    ])
    const other = make()
    trust(other.stateDir, '/x', TEXT)
    other.write({ '/b': sealed })
    expect(isTrusted(other.stateDir, '/b', TEXT)).toBe(false)
  })
})
