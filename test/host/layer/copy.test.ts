import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readChangeSet } from '../../../src/host/layer/change-set.ts'
import { keepOwn } from '../../../src/host/layer/copy/check-copy.ts'
import { readRecord } from '../../../src/host/layer/copy/copy-record.ts'
import { findCopyFault, openCopyLayer } from '../../../src/host/layer/copy/open-copy.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { runSteps } from '../../../src/host/system/steps.ts'
import { makeScratch } from '../../harness/scratch.ts'

const LIMITS = { maxBytes: 10_000, maxFiles: 100 }

describe('a copy of the workspace', () => {
  it('has changes of commands only, and nothing of what somebody else did meanwhile', async () => {
    const scratch = makeScratch()
    for (const name of ['a', 'b', 'c', 'gone', 'folder/d', 'secret']) scratch.file(`root/${name}`)
    const root = scratch.at('root')
    const workspace = { masked: [scratch.at('root/secret')], own: [] }
    const request = { execution: 'e1', roots: [root], places: [scratch.folder('place')] }
    const layer = await openCopyLayer(request, workspace, LIMITS)
    const folder = layer.parts[0]?.folder ?? ''
    const upper = join(folder, 'upper')
    expect(readFileSync(join(upper, 'folder/d'), 'utf8')).toBe('root/folder/d')
    expect(readFileSync(join(upper, 'secret'), 'latin1')).toBe('\0'.repeat('root/secret'.length))
    // The command:
    writeFileSync(join(upper, 'a'), 'changed')
    rmSync(join(upper, 'gone'))
    mkdirSync(join(upper, 'made'))
    // Somebody else:
    writeFileSync(scratch.at('root/b'), 'theirs')
    rmSync(scratch.at('root/c'))
    scratch.file('root/folder/new')
    const opened = [openRoot(root), openRoot(upper)] as const
    const [lower, above] = opened
    const { changes } = await readChangeSet({ lower, upper: above, copied: readRecord(folder) })
    const found = [...changes].flatMap((change) => (change === null ? [] : [change.path]))
    for (const one of opened) one.close()
    expect(found).toEqual(['a', 'gone', 'made'])
  })

  it('shows tracked files of a hidden folder as stand-ins, which are not changes', async () => {
    const scratch = makeScratch()
    for (const name of ['keys/one', 'keys/deep/two', 'keys/untracked']) scratch.file(`root/${name}`)
    const root = scratch.at('root')
    execFileSync('sh', ['-c', 'git init -q && git add keys/one keys/deep'], { cwd: root })
    const workspace = { masked: [scratch.at('root/keys')], own: [] }
    const request = { execution: 'e1', roots: [root], places: [scratch.folder('place')] }
    const layer = await openCopyLayer(request, workspace, { ...LIMITS, maxBytes: 1_000_000 })
    const folder = layer.parts[0]?.folder ?? ''
    const upper = join(folder, 'upper')
    const names = readdirSync(join(upper, 'keys'), { recursive: true, encoding: 'utf8' })
    expect(names.toSorted()).toEqual(['deep', 'deep/two', 'one'])
    expect(statSync(join(upper, 'keys/one'))).toMatchObject({ size: 'root/keys/one'.length, blocks: 0 })
    const opened = [openRoot(root), openRoot(upper)] as const
    const [lower, above] = opened
    const { changes } = await readChangeSet({ lower, upper: above, copied: readRecord(folder) })
    const found = [...changes].flatMap((change) => (change === null ? [] : [change.path]))
    for (const one of opened) one.close()
    expect(found).toEqual([])
  })

  it('holds nothing from outside, also if a folder is exchanged for a link while it is made', async () => {
    const scratch = makeScratch()
    for (let at = 0; at < 100; at++) {
      scratch.file(`root/p/f${at}`, 'ours')
      scratch.file(`root/p/in/f${at}`, 'ours')
      scratch.file(`outside/f${at}`, 'theirs')
      scratch.file(`outside/in/f${at}`, 'theirs')
    }
    scratch.file('root/p/secret')
    scratch.link('away', scratch.at('outside'))
    const root = scratch.at('root')
    const limits = { maxBytes: 100_000, maxFiles: 1000 }
    const workspace = { masked: [scratch.at('root/p/secret')], own: [] }
    const contentsOf = async (execution: string): Promise<ReadonlySet<string> | null> => {
      const request = { execution, roots: [root], places: [scratch.folder('place')] }
      const layer = await openCopyLayer(request, workspace, limits).catch(() => null)
      const upper = layer?.parts[0]?.folder
      if (upper === undefined) return null
      // Node's own listing of everything below goes through links, and a link that leads outside may be copied as a link.
      const files = execFileSync('find', [
        join(upper, 'upper'),
        '-type',
        'f',
        '!',
        '-name',
        'secret',
        '-print0',
      ])
      const names = files.toString().split('\0').slice(0, -1)
      return new Set(names.map((name) => readFileSync(name, 'utf8')))
    }
    expect(await contentsOf('calm')).toEqual(new Set(['ours']))
    const steps = "[['root/p', 'kept'], ['away', 'root/p'], ['root/p', 'away'], ['kept', 'root/p']]"
    const swap = `const { renameSync } = require('fs'); for (;;) for (const [from, to] of ${steps}) renameSync(from, to)`
    const swapper = spawn(process.execPath, ['-e', swap], { cwd: scratch.path, stdio: 'ignore' })
    onTestFinished(() => void swapper.kill('SIGKILL'))
    const made: ReadonlySet<string>[] = []
    for (let at = 0; at < 60 && made.length < 8; at++) {
      const contents = await contentsOf(`e${at}`)
      if (contents !== null) made.push(contents)
    }
    expect(swapper.exitCode).toBeNull()
    expect(made.length).toBeGreaterThan(0)
    expect(made.some((contents) => contents.has('theirs'))).toBe(false)
  })

  it('keeps only what the root holds, and gets the rest from there', () => {
    const scratch = makeScratch()
    for (const name of ['same', 'other', 'kind', 'in/other']) scratch.file(`root/${name}`, 'ours')
    for (const name of ['other', 'in/other', 'in/more', 'kind/in']) scratch.file(`upper/${name}`, 'them')
    scratch.file('upper/same', 'ours')
    scratch.link('root/link', 'same')
    scratch.link('upper/link', 'other')
    const [root, upper] = [openRoot(scratch.at('root')), openRoot(scratch.at('upper'))] as const
    const names = new Set(['same', 'other', 'kind', 'in', 'in/other', 'link'])
    runSteps(keepOwn({ root, upper, names }))
    for (const one of [root, upper]) one.close()
    const left = readdirSync(scratch.at('upper'), { recursive: true, encoding: 'utf8' })
    expect(left.toSorted()).toEqual(['in', 'in/other', 'link', 'other', 'same'])
    const contents = ['same', 'other', 'in/other', 'link'].map((name) =>
      readFileSync(scratch.at('upper', name), 'utf8'),
    )
    expect(contents).toEqual(['ours', 'ours', 'ours', 'ours'])
  })

  it('is not made of what is too large', () => {
    const scratch = makeScratch()
    scratch.file('root/large', 'x'.repeat(10_001))
    const workspace = { masked: [], own: [] }
    expect(findCopyFault([scratch.at('root')], workspace, LIMITS)).toContain('layer_copy_max_bytes')
    expect(findCopyFault([scratch.at('root')], workspace, { ...LIMITS, maxBytes: 10_001 })).toBeNull()
  })
})
