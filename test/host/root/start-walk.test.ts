import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { openLinuxRoot } from '../../../src/host/root/linux/linux.ts'
import { openPortableRoot } from '../../../src/host/root/portable/portable.ts'
import type { Root, RootWalk } from '../../../src/host/root/root.ts'
import { codeOf } from '../../harness/scratch.ts'
import { scratchWith } from './contract/setup.ts'

const FOLDERS = new Set(['a', 'b', 'c', 'b/a'])

/** Everything that a walk meets when it goes into every folder. */
function allOf(walk: RootWalk): string[] {
  const met: string[] = []
  for (let entry = walk.next(); entry !== null; entry = walk.next()) {
    met.push(entry.path)
    if (entry.kind === 'dir' && walk.enter() !== null) met.push(`${entry.path} is closed`)
  }
  walk.close()
  return met
}

describe.each([
  ['the Linux root', openLinuxRoot],
  ['the portable root', (path: string): Root => openPortableRoot(path, 'refused')],
])('%s: a walk that its caller leads', (_, open) => {
  const inScratch = scratchWith(open)

  it(
    'comes by names, or so that whole paths are in order',
    inScratch((scratch, root) => {
      for (const file of ['a/x', 'a-b', 'a.txt', 'a0', 'b/a/1', 'b/a!', 'b/a~', 'c/\u{1F600}', 'c/\uFFFD'])
        scratch.file(`root/${file}`)
      const paths = allOf(root.startWalk('', 'path')).filter((path) => !FOLDERS.has(path))
      expect(paths).toEqual(['a-b', 'a.txt', 'a/x', 'a0', 'b/a!', 'b/a/1', 'b/a~', 'c/\uFFFD', 'c/\u{1F600}'])
      expect(allOf(root.startWalk('', 'name')).slice(0, 5)).toEqual(['a', 'a/x', 'a-b', 'a.txt', 'a0'])
      expect(allOf(root.startWalk('b/a', 'path'))).toEqual(['1'])
    }),
  )

  it(
    'goes only where it is led, and knows what the folder holds that it is in',
    inScratch((scratch, root) => {
      for (const file of ['a/in', 'a/.hid', 'b/in']) scratch.file(`root/${file}`)
      const walk = root.startWalk('', 'path')
      expect([walk.holds('a'), walk.holds('in')]).toEqual([true, false])
      expect(walk.next()?.path).toBe('a')
      expect(walk.enter()).toBe(null)
      expect([walk.holds('.hid'), walk.holds('a')]).toEqual([true, false])
      expect([walk.next()?.path, walk.next()?.path, walk.next()?.path]).toEqual(['a/.hid', 'a/in', 'b'])
      expect(walk.next()).toBe(null)
      expect(() => walk.enter()).toThrow('not at a folder')
      walk.close()
      walk.close()
    }),
  )

  it(
    'tells metadata while it is there',
    inScratch((scratch, root) => {
      scratch.file('root/d/f', 'four')
      const walk = root.startWalk('', 'path')
      walk.next()
      walk.enter()
      expect(walk.next()?.stat()).toMatchObject({ kind: 'file', size: 4 })
      walk.close()
    }),
  )

  it(
    'begins nowhere but in a folder',
    inScratch((scratch, root) => {
      scratch.file('root/f')
      scratch.link('root/out', '/')
      for (const rel of ['f', 'nope', 'out']) expect(codeOf(() => root.startWalk(rel, 'path'))).not.toBe('')
    }),
  )

  it(
    'lends a path to a folder that other programs can use',
    inScratch((scratch, root) => {
      scratch.file('root/d/f')
      const list = (path: string): string => execFileSync('ls', ['.'], { cwd: path, encoding: 'utf8' })
      expect(root.lendFolder('d', list)).toBe('f\n')
      expect(codeOf(() => root.lendFolder('nope', (path) => path))).toBe('execution_failed')
    }),
  )
})
