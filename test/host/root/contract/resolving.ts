import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, makeScratch } from '../../../harness/scratch.ts'
import { readText, relOf, scratchWith } from './setup.ts'
import type { OpenRoot } from './setup.ts'

/** Where paths lead. */
export function describeResolving(rootName: string, open: OpenRoot): void {
  const inScratch = scratchWith(open)

  describe(`${rootName}: resolving`, () => {
    it(
      'keeps a plain path and says what is there',
      inScratch((scratch, root) => {
        scratch.file('root/a/b.txt')
        expect(root.resolve('a/b.txt')).toEqual({
          isInside: true,
          rel: 'a/b.txt',
          kind: 'file',
          missing: 0,
          links: 0,
        })
        expect(root.resolve('a')).toMatchObject({ rel: 'a', kind: 'dir' })
        expect(root.resolve('')).toMatchObject({ rel: '', kind: 'dir' })
        expect(root.resolve(scratch.at('root/a'))).toMatchObject({ isInside: true, rel: 'a' })
      }),
    )

    it(
      'counts the parts that do not exist',
      inScratch((scratch, root) => {
        scratch.folder('root/a')
        expect(root.resolve('a/new.txt')).toMatchObject({ rel: 'a/new.txt', kind: 'missing', missing: 1 })
        expect(root.resolve('a/x/y/z')).toMatchObject({ rel: 'a/x/y/z', kind: 'missing', missing: 3 })
      }),
    )

    it(
      'follows links that stay inside: last, middle, chained, absolute, up and down again',
      inScratch((scratch, root) => {
        scratch.file('root/real/deep/f.txt', 'found')
        scratch.link('root/last', 'real/deep/f.txt')
        scratch.link('root/real/up', '../real/deep')
        scratch.link('root/middle', 'real')
        scratch.link('root/chain', 'middle')
        scratch.link('root/absolute', scratch.at('root/real/deep'))
        scratch.link('root/out-and-in', '../root/real')
        expect(relOf(root.resolve('last'))).toBe('real/deep/f.txt')
        expect(relOf(root.resolve('real/up/f.txt'))).toBe('real/deep/f.txt')
        expect(relOf(root.resolve('middle/deep/f.txt'))).toBe('real/deep/f.txt')
        expect(relOf(root.resolve('chain/up/f.txt'))).toBe('real/deep/f.txt')
        expect(relOf(root.resolve('absolute/f.txt'))).toBe('real/deep/f.txt')
        expect(relOf(root.resolve('out-and-in/deep/f.txt'))).toBe('real/deep/f.txt')
        expect(readText(root, relOf(root.resolve('chain/up/f.txt')))).toBe('found')
      }),
    )

    it(
      'follows an absolute link that names the root by an alias of it',
      inScratch((scratch, root) => {
        scratch.file('root/f.txt')
        scratch.link('alias', 'root')
        scratch.link('root/by-alias', scratch.at('alias/f.txt'))
        expect(relOf(root.resolve('by-alias'))).toBe('f.txt')
        expect(relOf(root.resolve(scratch.at('alias/f.txt')))).toBe('f.txt')
      }),
    )

    it.each([
      ['a relative link up', '../outside/f.txt'],
      ['an absolute link', '/etc/passwd'],
      ['a neighbour with the same beginning', '../root-evil/f.txt'],
      ['a dangling link to outside', '../outside/nothing'],
      ['a link through something missing', 'nothing/../../outside/f.txt'],
      ['the root of the process', '/proc/self/root/etc/passwd'],
      ['the folder of the process', '/proc/self/cwd'],
      ['the root through /proc', '/proc/self/root'],
    ])('NFR-SEC-02: refuses to follow out of the root by %s', (_, target) =>
      inScratch((scratch, root) => {
        scratch.file('outside/f.txt')
        scratch.file('root-evil/f.txt')
        scratch.link('root/link', target)
        scratch.link('root/chain', 'link')
        expect(root.resolve('link').isInside).toBe(false)
        expect(root.resolve('chain').isInside).toBe(false)
      })(),
    )

    it(
      'refuses a link in the middle that leaves, and names where it leads',
      inScratch((scratch, root) => {
        scratch.file('outside/f.txt')
        scratch.link('root/door', '../outside')
        expect(root.resolve('door/f.txt')).toEqual({
          isInside: false,
          target: scratch.at('outside/f.txt'),
          links: 1,
        })
      }),
    )

    it(
      'takes a dangling link inside as the name that would be created',
      inScratch((scratch, root) => {
        scratch.link('root/link', 'folder/new.txt')
        expect(root.resolve('link')).toMatchObject({
          isInside: true,
          rel: 'folder/new.txt',
          kind: 'missing',
          missing: 2,
        })
      }),
    )

    it(
      'stops at loops and at more than forty links',
      inScratch((scratch, root) => {
        scratch.link('root/self', 'self')
        scratch.link('root/a', 'b')
        scratch.link('root/b', 'a')
        scratch.file('root/end')
        for (let at = 0; at < 41; at++) scratch.link(`root/l${at}`, at === 0 ? 'end' : `l${at - 1}`)
        expect(codeOf(() => root.resolve('self'))).toBe('execution_failed')
        expect(codeOf(() => root.resolve('a/x'))).toBe('execution_failed')
        expect(relOf(root.resolve('l39'))).toBe('end')
        expect(codeOf(() => root.resolve('l40'))).toBe('execution_failed')
      }),
    )

    it(
      'says that a file is no folder',
      inScratch((scratch, root) => {
        scratch.file('root/f.txt')
        const error = failureOf(() => root.resolve('f.txt/below'))
        expect(error).toMatchObject({ code: 'execution_failed', details: { errno: 'ENOTDIR' } })
      }),
    )

    it('resolves within the same root when it was given through a link', () => {
      const scratch = makeScratch()
      scratch.file('root/f.txt')
      scratch.link('given', 'root')
      const root = open(fs.realpathSync(scratch.at('given')))
      expect(root.path).toBe(scratch.at('root'))
      expect(relOf(root.resolve('f.txt'))).toBe('f.txt')
      root.close()
    })
  })
}
