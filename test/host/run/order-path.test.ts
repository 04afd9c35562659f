import { symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { orderPath } from '../../../src/host/run/order-path.ts'
import { makeScratch } from '../../harness/scratch.ts'

describe('PATH of a command', () => {
  it.each([
    ['/w/node_modules/.bin:/usr/bin:/bin', '/usr/bin:/bin:/w/node_modules/.bin'],
    ['.:bin:/usr/bin', '/usr/bin:.:bin'],
    [':/usr/bin:', '/usr/bin'],
    ['/w:/w-other/bin:/usr/bin', '/w-other/bin:/usr/bin:/w'],
    ['/..w/bin:/w/..x:/bin', '/..w/bin:/bin:/w/..x'],
    ['', ''],
  ])('has folders that calls can write last: %s', (path, ordered) => {
    expect(orderPath(path, ['/w'])).toBe(ordered)
  })

  it('has a folder outside last too if it is a link into the workspace', () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    symlinkSync(scratch.folder('root/tools'), scratch.at('bin'))
    expect(orderPath(`${scratch.at('bin')}:/usr/bin`, [root])).toBe(`/usr/bin:${scratch.at('bin')}`)
  })
})
