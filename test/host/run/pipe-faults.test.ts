import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, onTestFinished } from 'vitest'
import { makeScratch } from '../../harness/scratch.ts'
import { openCommandBench } from './command-bench.ts'

it('a command runs, and its process goes on, although the names of its pipes cannot be removed', async () => {
  const { rmSync } = fs
  let refused = 0
  fs.rmSync = (path, options) => {
    if (String(path).includes('tongs-run-')) {
      refused++
      throw Object.assign(new Error('EBUSY: refused'), { code: 'EBUSY' })
    }
    rmSync(path, options)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.rmSync = rmSync
    syncBuiltinESMExports()
  })
  const bench = await openCommandBench('open', makeScratch().path)
  onTestFinished(bench.close)
  expect(await bench.sh('echo ran')).toMatchObject({ stdout: 'ran\n' })
  expect(refused).toBeGreaterThan(0)
})
