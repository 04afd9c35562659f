import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDeniedFinder } from '../../../src/workspace/sandbox/find-denied.ts'
import { makeScratch } from '../../harness/scratch.ts'

const isDenied = (path: string): boolean => /\.pem$|^\.ssh$/.test(basename(path))

describe('looking for what is to be hidden from a command', () => {
  it('names denied files and folders at any depth, and does not go into those', () => {
    const scratch = makeScratch()
    for (const rel of ['a/b/key.pem', '.ssh/id.pem', 'fine.txt']) scratch.file(rel)
    const finder = createDeniedFinder(isDenied, Date.now)
    expect(finder.findIn(scratch.path).toSorted()).toEqual([scratch.at('.ssh'), scratch.at('a/b/key.pem')])
  })

  it('looks into git’s own folder too, but leaves git what it reads, and branches of any name', () => {
    const scratch = makeScratch()
    const kept = [
      '.git/HEAD',
      '.git/hooks/x.pem',
      '.git/refs/heads/x.pem',
      '.git/logs/x.pem',
      '.git/objects/x.pem',
    ]
    const hidden = ['.git/info/x.pem', '.git/modules/m/x.pem', '.git/x.pem', 'sub/.git/refs/x.pem']
    for (const rel of [...kept, ...hidden]) scratch.file(rel)
    expect(createDeniedFinder(isDenied, Date.now).findIn(scratch.path).toSorted()).toEqual(
      hidden.map((rel) => scratch.at(rel)),
    )
  })

  it('finds nothing to hide in a file or a link in the place of the folder', () => {
    const scratch = makeScratch()
    scratch.file('fine.txt')
    expect(createDeniedFinder(isDenied, Date.now).findIn(scratch.at('fine.txt'))).toEqual([])
    expect(createDeniedFinder(isDenied, Date.now).findIn(scratch.at('gone'))).toEqual([])
  })

  it('never misses a file that came since, whatever its folder pretends about its age', () => {
    const scratch = makeScratch()
    scratch.file('deep/er/fine.txt')
    // A clock far ahead makes every look count as old enough to be relied on.
    const finder = createDeniedFinder(isDenied, () => Date.now() + 3_600_000)
    expect(finder.findIn(scratch.path)).toEqual([])
    for (let round = 0; round < 20; round++) {
      const name = `deep/er/k${round}.pem`
      writeFileSync(scratch.at(name), 'x')
      utimesSync(scratch.at('deep/er'), 0, 0)
      expect(finder.findIn(scratch.path)).toContain(scratch.at(name))
    }
    mkdirSync(scratch.at('new/folder'), { recursive: true })
    renameSync(scratch.at('deep/er/k0.pem'), scratch.at('new/folder/moved.pem'))
    const found = finder.findIn(scratch.path)
    expect(found).toContain(scratch.at('new/folder/moved.pem'))
    expect(found).not.toContain(scratch.at('deep/er/k0.pem'))
  })

  it('reads again a folder that changed a moment ago, because a second change might not show', () => {
    const scratch = makeScratch()
    scratch.file('fine.txt')
    let looked = 0
    const finder = createDeniedFinder((path) => {
      looked += 1
      return isDenied(path)
    }, Date.now)
    finder.findIn(scratch.path)
    finder.findIn(scratch.path)
    expect(looked).toBe(2)
  })

  it('looks at no name twice in folders that have stayed as they were', () => {
    const scratch = makeScratch()
    for (let at = 0; at < 30; at++) scratch.file(`d${at % 5}/f${at}.txt`)
    let looked = 0
    const finder = createDeniedFinder(
      (path) => {
        looked += 1
        return isDenied(path)
      },
      () => Date.now() + 3_600_000,
    )
    finder.findIn(scratch.path)
    const first = looked
    finder.findIn(scratch.path)
    expect(first).toBe(35)
    expect(looked).toBe(first)
  })

  it('hides the folder of a denied name that is no UTF-8, since the name itself cannot be told to anybody', () => {
    const scratch = makeScratch()
    scratch.folder('sub')
    writeFileSync(
      Buffer.concat([Buffer.from(scratch.at('sub/')), Buffer.from([0xff]), Buffer.from('.pem')]),
      'x',
    )
    expect(createDeniedFinder(isDenied, Date.now).findIn(scratch.path)).toEqual([scratch.at('sub')])
  })
})
