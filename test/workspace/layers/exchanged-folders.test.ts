import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCopyLayer } from '../../../src/host/layer/copy/open-copy.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { readLayer } from '../../../src/workspace/layers/read-layer.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { SETTINGS } from './layer-bench.ts'

it('a folder that was exchanged while a command worked on a copy makes what it changed there stale', async () => {
  const scratch = makeScratch()
  for (const name of ['in/changed', 'in/gone', 'in/left', 'twin/changed', 'twin/gone', 'other/changed'])
    scratch.file(`root/${name}`)
  const path = scratch.at('root')
  const request = { execution: 'e1', roots: [path], places: [scratch.folder('place')] }
  const layer = await openCopyLayer(request, { masked: [], own: [] }, { maxBytes: 10_000, maxFiles: 100 })
  const upper = join(layer.parts[0]?.folder ?? '', 'upper')
  // The command:
  for (const name of ['in/changed', 'in/new', 'other/changed']) writeFileSync(join(upper, name), 'by command')
  rmSync(join(upper, 'in/gone'))
  // A person:
  renameSync(scratch.at('root/in'), scratch.at('root/before'))
  renameSync(scratch.at('root/twin'), scratch.at('root/in'))
  const root = openRoot(path)
  try {
    const options = { deniedPatterns: [], allowAbsolute: true, includeDefaultDenies: true }
    const sandbox = createSandbox({ roots: [root], ...options })
    const { stale } = await readLayer(layer, {
      sandbox,
      own: [],
      settings: SETTINGS,
      home: scratch.folder('home'),
    })
    expect(stale).toEqual(['in/changed', 'in/gone', 'in/new'])
  } finally {
    root.close()
  }
})
