import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findPlace } from '../../../src/host/confine/held/held-place.ts'
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

describe('looking through a place that a command was granted, while another process exchanges folders', () => {
  /** A granted folder with a key two folders down, and a finder that does something at its second look at a folder. */
  function exchange(
    act: (looks: number, exchangeNow: () => void) => void,
    onJudged: (exchangeNow: () => void) => void = () => undefined,
  ) {
    const scratch = makeScratch()
    scratch.file('granted/sub/key.pem')
    scratch.file('decoy/fine.txt')
    const exchangeNow = (): void => {
      renameSync(scratch.at('granted/sub'), scratch.at('kept'))
      renameSync(scratch.at('decoy'), scratch.at('granted/sub'))
      renameSync(scratch.at('kept'), scratch.at('decoy'))
    }
    let looks = 0
    const judge = (path: string): boolean => {
      if (path.startsWith(scratch.at('granted/sub/'))) onJudged(exchangeNow)
      return isDenied(path)
    }
    const finder = createDeniedFinder(judge, () => {
      looks += 1
      act(looks, exchangeNow)
      return Date.now()
    })
    const place = findPlace(scratch.at('granted'))
    if (place === null) throw new Error('no place')
    return { scratch, finder, place }
  }
  const onSecond = (looks: number, exchangeNow: () => void): void => {
    if (looks === 2) exchangeNow()
  }
  const onSecondAndThird = (looks: number, exchangeNow: () => void): void => {
    if (looks === 2 || looks === 3) exchangeNow()
  }

  it('finds what is denied in what was granted, and not in what had a name for a moment', () => {
    // Another folder has the name while its names are read, and no more when they are judged.
    const { scratch, finder, place } = exchange(onSecond, (exchangeNow) => exchangeNow())
    expect(finder.findInPlace(place)).toEqual([scratch.at('granted/sub/key.pem')])
  })

  it('looks again if a folder was exchanged until the end of the look', () => {
    const { scratch, finder, place } = exchange(onSecondAndThird)
    expect(finder.findInPlace(place)).toEqual([scratch.at('granted/sub/key.pem')])
  })

  it('control: by names, the key is missed', () => {
    const { finder, place } = exchange(onSecond, (exchangeNow) => exchangeNow())
    expect(finder.findIn(place.real)).toEqual([])
  })

  it('gives up if a folder is exchanged at each look, or is a link by then', () => {
    const always = exchange((looks, exchangeNow) => {
      if (looks % 2 === 0) exchangeNow()
    })
    expect(() => always.finder.findInPlace(always.place)).toThrow('was replaced')
    const linked = exchange((looks) => {
      if (looks > 1) return
      renameSync(linked.scratch.at('granted/sub'), linked.scratch.at('away'))
      symlinkSync('../away', linked.scratch.at('granted/sub'))
    })
    expect(linked.finder.findInPlace(linked.place)).toEqual([])
  })

  it('refuses a place that has another folder in it by then', () => {
    const { scratch, finder, place } = exchange(() => undefined)
    renameSync(scratch.at('granted'), scratch.at('away'))
    renameSync(scratch.at('decoy'), scratch.at('granted'))
    expect(() => finder.findInPlace(place)).toThrow('was replaced')
  })

  it('finds the pipes of a granted place, too, and nothing in a granted file', () => {
    const scratch = makeScratch()
    scratch.file('granted/deep/fine.txt')
    execFileSync('mkfifo', [scratch.at('granted/deep/pipe')])
    const finder = createDeniedFinder(isDenied, Date.now)
    const [folder, file] = [findPlace(scratch.at('granted')), findPlace(scratch.at('granted/deep/fine.txt'))]
    if (folder === null || file === null) throw new Error('no place')
    expect(finder.findPipesInPlace(folder)).toEqual([scratch.at('granted/deep/pipe')])
    expect(finder.findPipesInPlace(file)).toEqual([])
  })
})
