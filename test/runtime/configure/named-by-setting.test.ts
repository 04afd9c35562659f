import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findPackageCaches } from '../../../src/host/fs/caches/package-caches.ts'
import { findLayerPlaces } from '../../../src/host/layer/layer-places.ts'
import { ASK_BEFORE, bench, errorOf, outputOf } from '../../bench-folder.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { programEntry, serverBench } from '../../servers/server-bench.ts'

afterEach(() => vi.unstubAllEnvs())

const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)

function makeBench() {
  const b = bench({ plain: 'plain', 'in/f': 'inside' })
  const out = join(b.top, 'out')
  mkdirSync(out)
  writeFileSync(join(out, 'f'), 'OUTSIDE')
  return { ...b, out }
}

describe('a path of a setting that lies in a root and leaves it by a link there', () => {
  it.each([
    ['by its whole path', (root: string) => join(root, 'e')],
    ['by a relative one', () => 'e'],
  ])('is not read by commands, %s, and the error names setting, link and end', async (_, named) => {
    const { root, out, call } = makeBench()
    symlinkSync(out, join(root, 'e'))
    const config = { ...ASK_BEFORE, 'tools.shell.read': [named(root)] }
    const error = errorOf(await call('run_shell', { cmd: ['cat', `${out}/f`] }, { approve, config }))
    expect(error.code).toBe('not_allowed')
    for (const part of ['tools.shell.read', join(root, 'e'), out]) expect(error.message).toContain(part)
  })

  it('control: one that stays in the root, or that lies outside, is followed', async () => {
    const { root, top, out, call } = makeBench()
    symlinkSync('in', join(root, 'e'))
    symlinkSync(out, join(top, 'way'))
    const config = { ...ASK_BEFORE, 'tools.shell.read': ['e', join(top, 'way')] }
    const cmd = ['cat', 'e/f', `${top}/way/f`]
    expect(outputOf(await call('run_shell', { cmd }, { approve, config }))).toMatchObject({
      stdout: 'insideOUTSIDE',
    })
  })

  it('becomes no root', async () => {
    const { root, out, open } = makeBench()
    symlinkSync(out, join(root, 'e'))
    const config = { 'tools.sandbox.allowed_roots': ['.', 'e'] }
    await expect(open({ config })).rejects.toThrow(/tools\.sandbox\.allowed_roots names .*it is not followed/)
    rmSync(join(root, 'e'))
    mkdirSync(join(root, 'e'))
    await expect(open({ config })).resolves.toBeDefined()
  })

  it('is no folder that commands write directly', async () => {
    const { root, out, call } = makeBench()
    symlinkSync(out, join(root, 'e'))
    const config = { ...ASK_BEFORE, 'tools.shell.passthrough': ['e'] }
    const error = errorOf(await call('run_shell', { cmd: ['true'] }, { approve, config }))
    expect(error.message).toContain('tools.shell.passthrough')
  })

  it('is no cache of a package manager, and no place for layers', () => {
    const scratch = makeScratch()
    const [root, home, out] = ['root', 'home', 'out'].map((name) => scratch.folder(name)) as [
      string,
      string,
      string,
    ]
    const find = () =>
      findPackageCaches({ PIP_CACHE_DIR: join(root, 'e') }, home, [root]).map(({ path }) => path)
    symlinkSync(out, join(root, 'e'))
    expect(find()).toEqual([])
    const facts = { root, roots: [root], stateDir: join(root, 'none'), layerDir: join(root, 'e') }
    expect(findLayerPlaces(facts).map(({ path }) => path)).not.toContain(join(root, 'e', 'tongs-layers'))
    expect(findPackageCaches({ PIP_CACHE_DIR: out }, home, [root]).map(({ path }) => path)).toEqual([out])
  })

  it.each(['read', 'write'] as const)('is not what an MCP server may %s', async (intent) => {
    const entry = programEntry('sample-server.ts', [])
    const named = { ...entry, [intent]: [...(intent === 'read' ? entry.read : []), 'e'] }
    const made = serverBench(named)
    const out = join(made.top, 'out')
    mkdirSync(out)
    symlinkSync(out, join(made.root, 'e'))
    const start = (await made.open()).servers.inspect('s')
    await expect(start).rejects.toThrow(
      new RegExp(`mcp\\.servers\\.s\\.${intent} names .*it is not followed`),
    )
    rmSync(join(made.root, 'e'))
    mkdirSync(join(made.root, 'e'))
    await expect((await made.open()).servers.inspect('s')).resolves.toBeDefined()
  })
})
