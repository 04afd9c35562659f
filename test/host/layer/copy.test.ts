import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readChangeSet } from '../../../src/host/layer/change-set.ts'
import { readRecord } from '../../../src/host/layer/copy/copy-record.ts'
import { findCopyFault, openCopyLayer } from '../../../src/host/layer/copy/open-copy.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
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

  it('is not made of what is too large', () => {
    const scratch = makeScratch()
    scratch.file('root/large', 'x'.repeat(10_001))
    const workspace = { masked: [], own: [] }
    expect(findCopyFault([scratch.at('root')], workspace, LIMITS)).toContain('layer_copy_max_bytes')
    expect(findCopyFault([scratch.at('root')], workspace, { ...LIMITS, maxBytes: 10_001 })).toBeNull()
  })
})
