import { describe, expect, it } from 'vitest'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { failureOf, makeScratch } from '../../harness/scratch.ts'

describe('opening a root', () => {
  it('takes the real path of a root that is given through a link, with a slash or with dots', () => {
    const scratch = makeScratch()
    scratch.folder('real/root')
    scratch.link('alias', 'real')
    for (const given of ['alias/root', 'alias/root/', 'real/./root', 'real/root/../root']) {
      const root = openRoot(`${scratch.path}/${given}`)
      expect(root.path).toBe(scratch.at('real/root'))
      root.close()
    }
  })

  it('is safe from races on Linux', () => {
    const root = openRoot(makeScratch().path)
    expect(root.isRaceFree).toBe(true)
    root.close()
  })

  it('says what is wrong with a root that is missing, a file, or a dangling link', () => {
    const scratch = makeScratch()
    scratch.file('f.txt')
    scratch.link('dangling', 'nowhere')
    expect(failureOf(() => openRoot(scratch.at('none')))).toMatchObject({
      code: 'execution_failed',
      message: `The root ${scratch.at('none')} does not exist.`,
    })
    expect(failureOf(() => openRoot(scratch.at('f.txt'))).message).toContain('is not a folder')
    expect(failureOf(() => openRoot(scratch.at('dangling'))).message).toContain('does not exist')
    expect(failureOf(() => openRoot(scratch.at('none'))).recovery).not.toEqual([])
  })

  it('holds the whole file system when asked to', () => {
    const root = openRoot('/')
    expect(root.resolve('/proc/self/root/etc')).toMatchObject({ isInside: true, rel: 'etc', kind: 'dir' })
    expect(root.stat('etc')?.kind).toBe('dir')
    expect(root.list('').map((entry) => entry.name)).toContain('etc')
    root.close()
  })
})
