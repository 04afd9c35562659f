import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openCopyLayer } from '../../../src/host/layer/copy/open-copy.ts'
import { createWithAttributes, readAttributes } from '../../../src/host/fs/attributes.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { readLayer } from '../../../src/workspace/layers/read-layer.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import { writeArchive } from '../../../src/host/fs/pax.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { SETTINGS } from './layer-bench.ts'

const KINDS = [
  ['', 'by command'],
  [', also on a large file without native code', Buffer.alloc(65 * 1024 ** 2)],
] as const

it.runIf(process.platform === 'linux').for(KINDS)(
  'what a command on a copy sets to deceive a later overlay does not land, and its other attributes do%s',
  async ([where, content]) => {
    if (where !== '') vi.stubEnv('TONGS_NATIVE', 'off')
    onTestFinished(() => void vi.unstubAllEnvs())
    const scratch = makeScratch()
    scratch.file('root/there')
    const path = scratch.at('root')
    const request = { execution: 'e1', roots: [path], places: [scratch.folder('place')] }
    const layer = await openCopyLayer(request, { masked: [], own: [] }, { maxBytes: 10_000, maxFiles: 100 })
    const upper = join(layer.parts[0]?.folder ?? '', 'upper')
    // The command:
    const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
    const attributes = new Map([
      ['user.overlay.metacopy', Buffer.from('')],
      ['user.overlay.whiteout', Buffer.from('y')],
      ['user.note', Buffer.from('kept')],
    ])
    const file = { content: Buffer.from(content), mode: 0o644, uid, gid, attributes }
    for (const name of ['there', 'new']) expect(createWithAttributes(upper, { ...file, name })).toBe(true)
    writeFileSync(join(upper, 'plain'), 'by command')
    const root = openRoot(path)
    try {
      const options = { deniedPatterns: [], allowAbsolute: true, includeDefaultDenies: true }
      const sandbox = createSandbox({ roots: [root], ...options })
      const { changes } = await readLayer(layer, {
        sandbox,
        own: [],
        settings: SETTINGS,
        findGitIn: () => null,
        home: scratch.folder('home'),
      })
      expect(changes.map((change) => change.path).toSorted()).toEqual(['new', 'plain', 'there'])
      for (const name of ['there', 'new'])
        expect([...(readAttributes(join(upper, name)) ?? new Map()).keys()]).toEqual(['user.note'])
    } finally {
      root.close()
    }
  },
)

it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'nor does what a command of root sets on a new file of a new folder',
  async () => {
    const b = bench({ 'a.txt': 'one\n' })
    const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
    const attributes = new Map([
      ['user.overlay.whiteout', Buffer.from('y')],
      ['user.note', Buffer.from('kept')],
    ])
    const file = { name: 'f.txt', content: Buffer.from('x'), mode: 0o644, uid, gid, attributes }
    writeFileSync(join(b.root, 'f.tar'), writeArchive(file))
    const line = "mkdir new; cd new; tar -xf ../f.tar --xattrs '--xattrs-include=*'"
    const approve = (asked: readonly unknown[]) => asked.map(() => 'once' as const)
    outputOf(await b.call('run_shell', { cmd: ['sh', '-c', line] }, { approve }))
    const landed = readAttributes(join(b.root, 'new/f.txt')) ?? new Map<string, Uint8Array>()
    expect([...landed.keys()]).toEqual(['user.note'])
  },
)
