import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { renderBillOfMaterials } from '../../scripts/supply-chain/bill-of-materials.ts'
import { readLock, readLockedPackages } from '../../scripts/supply-chain/locked-packages.ts'
import { makeScratch } from '../harness/scratch.ts'

const { findNodeFault } = createRequire(import.meta.url)('../../scripts/supply-chain/node-checksum.cjs') as {
  findNodeFault: (top: string, platform?: string) => string | null
}

describe('the pinned Node', () => {
  it('is the one whose checksum is known', () => {
    expect(findNodeFault(TOP)).toBeNull()
  })

  it('is refused if a byte of it differs, or nothing is known of its version', () => {
    const top = makeScratch()
    const sha256 = createHash('sha256').update('a node').digest('hex')
    top.file('data/node-checksums.json', JSON.stringify({ '24.0.0': { 'linux-x64': sha256 } }))
    top.file('node_modules/node/package.json', '{"version":"24.0.0"}')
    top.file('node_modules/node/bin/node', 'a node')
    expect(findNodeFault(top.path, 'linux-x64')).toBeNull()
    top.file('node_modules/node/bin/node', 'a nodf')
    expect(findNodeFault(top.path, 'linux-x64')).toContain('is not Node 24.0.0 as it was published')
    top.file('node_modules/node/package.json', '{"version":"24.0.1"}')
    expect(findNodeFault(top.path, 'linux-x64')).toContain('has no checksums for Node 24.0.1')
  })
})

describe('the packages', () => {
  const packages = readLockedPackages()

  it('are all in the bill of materials, with the hash that npm compares', () => {
    const { components } = JSON.parse(renderBillOfMaterials()) as {
      components: readonly { name: string; version: string; hashes: readonly { content: string }[] }[]
    }
    const line = (name: string, version: string, hash = ''): string => `${name} ${version} ${hash}`
    expect(
      new Set(components.map(({ name, version, hashes }) => line(name, version, hashes[0]?.content))),
    ).toEqual(new Set(packages.map(({ name, version, sha512 }) => line(name, version, sha512))))
    const installed = JSON.parse(readFileSync(join(TOP, 'node_modules/parse5/package.json'), 'utf8')) as {
      version: string
    }
    expect(components.find(({ name }) => name === 'parse5')?.version).toBe(installed.version)
  })

  it('that are installed are all locked', () => {
    const places = Object.keys(readLock())
    const names = readdirSync(join(TOP, 'node_modules')).flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(TOP, 'node_modules', name)).map((part) => `${name}/${part}`)
        : name.startsWith('.')
          ? []
          : [name],
    )
    const unlocked = names.filter(
      (name) =>
        existsSync(join(TOP, 'node_modules', name, 'package.json')) &&
        !places.includes(`node_modules/${name}`),
    )
    // The package node fetches the one of the platform, which has a checksum of its own.
    expect(unlocked.filter((name) => !/^node-(?:bin-)?(?:linux|darwin|win)-/.test(name))).toEqual([])
  })

  it.each([
    [{ version: '1.0.0' }, 'has no SHA-512'],
    [{ version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no SHA-512'],
    [
      { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==`, hasInstallScript: true },
      'runs a script when it is installed',
    ],
  ])('are refused if they are not pinned or bring a script: %j', (entry, why) => {
    expect(() => readLockedPackages({ 'node_modules/odd': entry })).toThrow(why)
  })
})

describe('the bundle', () => {
  it('is the same whenever and wherever it is made', () => {
    const [first, second] = [0, 1].map(() => {
      const place = makeScratch().path
      const end = spawnSync(process.execPath, [join(TOP, 'scripts/bundle.ts'), place], { encoding: 'utf8' })
      expect(end.status, end.stderr).toBe(0)
      const build = readdirSync(place).find((name) => name.startsWith('build-')) ?? ''
      return Object.fromEntries(
        readdirSync(join(place, build)).map((name) => {
          const bytes = readFileSync(join(place, build, name))
          expect(bytes.includes(TOP), `${name} names the folder it was made in`).toBe(false)
          return [name, createHash('sha256').update(bytes).digest('hex')]
        }),
      )
    })
    expect(Object.keys(first ?? {}).length).toBeGreaterThan(1)
    expect(second).toEqual(first)
  })
})
