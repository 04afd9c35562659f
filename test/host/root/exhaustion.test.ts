import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeScratch } from '../../harness/scratch.ts'

it('says that the process ran out of descriptors, and works again when there are some', () => {
  const scratch = makeScratch()
  scratch.file('d/f.txt')
  const child = join(import.meta.dirname, 'exhaustion-child.ts')
  const script = 'ulimit -n 64; exec "$@"'
  const out = execFileSync('sh', ['-c', script, 'sh', process.execPath, child, scratch.path], {
    encoding: 'utf8',
  })
  expect(JSON.parse(out)).toEqual({
    open: 'resource_exhausted',
    list: 'resource_exhausted',
    resolve: 'resource_exhausted',
    walk: 'resource_exhausted',
    way: 'resource_exhausted',
    names: 'resource_exhausted',
    create: 'resource_exhausted',
    after: 'done',
  })
})
