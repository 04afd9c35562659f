import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countDescriptors } from '../../src/host/system/resources.ts'
import { watchResources } from '../../src/runtime/observe/watch-resources.ts'
import { bench, errorOf } from '../bench-folder.ts'
import { makeShop, TONGS } from '../faces/cli/command-line.ts'
import { agreeing, batchOf, outsider, waysOf } from '../pipeline/sample-tools.ts'
import { settingsWith } from '../policy/sample-facts.ts'

const FULL = { 'tools.resources.min_free_bytes': 1024 ** 5 }

describe('before a call starts', () => {
  it('RULE 3: a call that writes does not start on a full disk, and one that reads does', async () => {
    const b = bench({ 'a.txt': 'one' })
    const approve = agreeing()
    const runtime = await b.open({ config: FULL, approve })
    const [write, read] = await runtime.run(
      batchOf(['write_file', { path: 'n.txt', content: '' }], ['read_file', { path: 'a.txt' }]),
    )
    expect(errorOf(write)).toMatchObject({
      code: 'resource_exhausted',
      class: 'ResourceError',
      type: 'file-error',
      kind: null,
      state: 'FAILED',
      details: { resource: 'disk', path: b.root },
    })
    expect(errorOf(write).recovery.join()).toContain('tools.resources.min_free_bytes')
    expect(read?.ok).toBe(true)
    expect(approve.questions).toEqual([])
    expect(waysOf(runtime).get('c1')).toEqual(['DECLARED', 'VALIDATED', 'FAILED'])
    expect(existsSync(join(b.root, 'n.txt'))).toBe(false)
    expect(runtime.why(write?.execution.id ?? '')[0]).toMatchObject({ verdict: 'failed', gate: 'resources' })
  })

  it('a dry run writes nothing and so needs no room', async () => {
    const b = bench()
    const args = { path: 'n.txt', content: '' }
    expect((await b.call('write_file', args, { config: FULL }, { dryRun: true })).ok).toBe(true)
  })

  it('what acts outside the machine needs room for its record alone, and none where nothing is kept', async () => {
    const b = bench()
    const tools = [outsider('acts', () => ({ said: '' }))]
    const more = { tools, config: FULL, approve: agreeing() }
    expect((await b.call('acts', {}, more)).ok).toBe(true)
    const kept = errorOf(await b.call('acts', {}, { ...more, durability: 'normal' }))
    expect(kept.details).toMatchObject({ path: b.stateDir })
  })

  it('RULE 3: a process that has hardly a file left to open starts nothing, not even reading', () => {
    const shop = makeShop({ 'a.txt': 'one' })
    const read = (least: number): number => {
      const set = `tools.resources.min_free_descriptors=${least}`
      const words = ['call', 'read_file', '{"path":"a.txt"}', '--root', shop.root, '--set', set]
      try {
        execFileSync('/bin/sh', ['-c', 'ulimit -n 128; exec "$@"', 'sh', TONGS, ...words], {
          env: shop.env,
          stdio: 'ignore',
        })
        return 0
      } catch (error) {
        return (error as { status: number }).status
      }
    }
    expect(read(8)).toBe(0)
    expect(read(128)).toBe(1)
    shop.remove()
  })
})

describe('looking', () => {
  it('counts every file that is opened', () => {
    const before = countDescriptors()
    const fds = Array.from({ length: 5 }, () => openSync('/dev/null', 'r'))
    const after = countDescriptors()
    for (const fd of fds) closeSync(fd)
    expect(after?.open).toBe((before?.open ?? 0) + 5)
    expect(after?.limit).toBeGreaterThan(after?.open ?? Infinity)
  })

  it('happens once in a while and not for every call, unless something was short', async () => {
    const { root, stateDir } = bench()
    let elapsed = 0
    const clock = { now: () => 0, elapsed: () => elapsed }
    const places = { roots: [root], stateDir: join(stateDir, '..') }
    const watch = watchResources(places, await settingsWith({ 'tools.resources.look_seconds': 2 }), clock)
    const first = watch('edit')
    expect(first.disks.map(({ folder }) => folder)).toEqual(['the workspace', 'the state folder'])
    elapsed = 1999
    expect(watch('edit')).toBe(first)
    expect(watch('read').disks).toEqual([])
    elapsed = 2000
    expect(watch('edit')).not.toBe(first)
    const short = watchResources(places, await settingsWith(FULL), clock)
    expect(short('edit')).not.toBe(short('edit'))
    expect(short('read')).toBe(short('read'))
  })

  it('a folder that cannot be looked at stops nothing', async () => {
    const clock = { now: () => 0, elapsed: () => 0 }
    const watch = watchResources({ roots: ['/nowhere/at/all'], stateDir: null }, await settingsWith(), clock)
    expect(watch('edit').disks).toEqual([])
  })
})
