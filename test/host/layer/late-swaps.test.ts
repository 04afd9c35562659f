import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { discardLayer } from '../../../src/host/layer/open-layer.ts'
import { openLayerBench, SECRET } from './layer-bench.ts'

/** Runs a command, and swaps a folder for a link each of so many times after the workspace was looked at for it. */
async function runWithSwaps(swaps: number) {
  let starts = 0
  const swap = (from: string, to: string): void => renameSync(join(bench.root, from), join(bench.root, to))
  const bench = await openLayerBench((launch) => {
    if (++starts > swaps) return launch
    const [gone, come] = starts % 2 === 1 ? (['away', 'link'] as const) : (['link', 'away'] as const)
    swap('conf', gone)
    swap(come, 'conf')
    return launch
  })
  onTestFinished(bench.close)
  bench.write('conf/.env', SECRET)
  symlinkSync(bench.outside, join(bench.root, 'link'))
  const layer = bench.newLayer()
  try {
    const end = await bench.onLayer(layer, 'cat */.env */secret.txt 2>/dev/null; echo ran')
    return { said: end.stdout, starts }
  } catch (error) {
    return { said: String(error), starts }
  } finally {
    await discardLayer(layer)
  }
}

it('a command whose folders are swapped before it starts is started anew, and then reads nothing denied', async () => {
  expect(await runWithSwaps(1)).toEqual({ said: 'ran\n', starts: 2 })
  expect(await runWithSwaps(2)).toEqual({ said: 'ran\n', starts: 3 })
})

it('it is not started if that happens again and again, and it is said that it did not run', async () => {
  const { said, starts } = await runWithSwaps(9)
  expect(starts).toBe(6)
  expect(said).toContain('so the command did not run')
})

it('a command is started anew if a denied file came after the look, and then does not read it', async () => {
  let starts = 0
  const bench = await openLayerBench((launch) => {
    if (++starts === 1) bench.write('conf/.env', SECRET)
    return launch
  })
  onTestFinished(bench.close)
  bench.write('conf/plain')
  const layer = bench.newLayer()
  onTestFinished(() => discardLayer(layer))
  const { stdout } = await bench.onLayer(layer, 'cat conf/.env 2>/dev/null; echo ran')
  expect({ stdout, starts }).toEqual({ stdout: 'ran\n', starts: 2 })
})
