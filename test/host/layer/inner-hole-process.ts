/**
 * Runs a command on a layer with a folder that it writes to directly, in which something is mounted. After the workspace
 * was looked at, the folder above the mount is exchanged for a link that leads to the same mount by another way. Prints
 * what the command read.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { discardLayer } from '../../../src/host/layer/open-layer.ts'
import { openLayerBench } from './layer-bench.ts'

if (process.argv[2] === 'without native code') process.env['TONGS_NATIVE'] = 'off'
const isSwapped = process.argv[3] === 'swapped'

let starts = 0
const bench = await openLayerBench((launch) => {
  if (++starts === 1 && isSwapped) {
    renameSync(join(root, 'out/a'), join(root, 'out/b'))
    symlinkSync(join(outside, 'way'), join(root, 'out/a'))
  }
  return launch
})
const { root, outside } = bench
mkdirSync(join(outside, 'way'))
symlinkSync(join(root, 'out/b/mnt'), join(outside, 'way/mnt'))
bench.write('out/a/mnt/file', 'covered')
execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(root, 'out/a/mnt')])
bench.write('out/a/mnt/file', 'mounted')
const layer = bench.newLayer()
const line = 'cat out/?/mnt/file 2>/dev/null; touch out/?/mnt/made 2>/dev/null && echo written'
const { stdout } = await bench.onLayer(layer, line, { passthrough: [join(root, 'out')] })
await discardLayer(layer)
execFileSync('umount', [join(root, isSwapped ? 'out/b/mnt' : 'out/a/mnt')])
await bench.close()
process.stdout.write(JSON.stringify({ stdout, starts }))
