import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyName } from '../../../src/host/root/move-name.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { makeScratch } from '../../harness/scratch.ts'

const SOURCES = join(import.meta.dirname, '../../../src/host/root')
const DIE_AT = new URL('../../harness/faults/die-at.ts', import.meta.url).href

it('a copy whose process was killed leaves nothing once it is made again', () => {
  const scratch = makeScratch()
  const [from, to] = [scratch.folder('from'), scratch.folder('to')]
  scratch.file('from/one', 'content')
  const code = `
    const { openRoot } = await import(${JSON.stringify(join(SOURCES, 'open-root.ts'))})
    const { copyName } = await import(${JSON.stringify(join(SOURCES, 'move-name.ts'))})
    copyName({ root: openRoot(${JSON.stringify(from)}), rel: 'one' }, { root: openRoot(${JSON.stringify(to)}), rel: 'two' })`
  const { signal } = spawnSync(process.execPath, ['--import', DIE_AT, '--input-type=module', '-e', code], {
    env: { ...process.env, FAULTS_DIE_AT: 'renameSync#1' },
  })
  expect(signal).toBe('SIGKILL')
  expect(readdirSync(to)).toHaveLength(1)
  const roots = [from, to].map((path) => openRoot(path))
  const [source, target] = roots
  if (source !== undefined && target !== undefined)
    copyName({ root: source, rel: 'one' }, { root: target, rel: 'two' })
  for (const root of roots) root.close()
  expect(readdirSync(to)).toEqual(['two'])
})
