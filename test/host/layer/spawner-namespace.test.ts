import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { discardLayer } from '../../../src/host/layer/open-layer.ts'
import { openLayerBench } from './layer-bench.ts'

/** The mount namespaces of the processes that this one has started. */
function namespacesBelow(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = /\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]
        return Number(parent) === process.pid ? [readlinkSync(`/proc/${pid}/ns/mnt`)] : []
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
}

it('a command on a layer leaves the process that started it where it was, and the next one sees no mounts of it', async () => {
  const bench = await openLayerBench()
  onTestFinished(bench.close)
  bench.write('folder/kept')
  const layer = bench.newLayer()
  onTestFinished(() => discardLayer(layer))
  const { stdout } = await bench.onLayer(layer, 'echo new >folder/made && cat /proc/self/mounts')
  expect(stdout).toContain('overlay')
  const own = readlinkSync('/proc/self/ns/mnt')
  const below = namespacesBelow()
  expect(below.length).toBeGreaterThan(0)
  expect(new Set(below)).toEqual(new Set([own]))
  const after = await bench.onLayer(null, 'cat /proc/self/mounts; ls folder')
  expect(after.stdout).not.toContain('overlay')
  expect(after.stdout).toMatch(/^kept$/m)
})
