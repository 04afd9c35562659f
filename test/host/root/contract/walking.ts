import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RootWalkEntry } from '../../../../src/host/root/root.ts'
import { codeOf } from '../../../harness/scratch.ts'
import { readText, walkAll, scratchWith } from './setup.ts'
import type { OpenRoot } from './setup.ts'

/** Whole trees. */
export function describeWalking(rootName: string, open: OpenRoot): void {
  const inScratch = scratchWith(open)

  describe(`${rootName}: walking`, () => {
    it(
      'goes depth first, a folder before what it holds, in code point order, never through links',
      inScratch((scratch, root) => {
        for (const file of ['a/z.txt', 'a/b/c.txt', 'a.txt', 'B/1', 'a-b']) scratch.file(`root/${file}`)
        scratch.file('outside/f.txt')
        scratch.link('root/a/out', scratch.at('outside'))
        scratch.link('root/a/back', '..')
        expect(walkAll(root)).toEqual([
          'B:dir',
          'B/1:file',
          'a:dir',
          'a/b:dir',
          'a/b/c.txt:file',
          'a/back:symlink',
          'a/out:symlink',
          'a/z.txt:file',
          'a-b:file',
          'a.txt:file',
        ])
        expect(walkAll(root, 'a/b')).toEqual(['c.txt:file'])
      }),
    )

    it(
      'enters only what the visitor enters, stops when it says so, and tells depth and metadata',
      inScratch((scratch, root) => {
        for (const file of ['a/in.txt', 'b/in.txt', 'c/in.txt']) scratch.file(`root/${file}`, 'four')
        const seen: [string, number, number | null][] = []
        root.walk('', (entry) => {
          const stat = entry.stat()
          seen.push([entry.path, entry.depth, 'size' in stat && stat.kind === 'file' ? stat.size : null])
          return entry.path === 'b' ? 'enter' : entry.path === 'c' ? 'stop' : 'pass'
        })
        expect(seen).toEqual([
          ['a', 1, null],
          ['b', 1, null],
          ['b/in.txt', 2, 4],
          ['c', 1, null],
        ])
      }),
    )

    it(
      'reports metadata that is gone by the time it is asked for, and after the visit',
      inScratch((scratch, root) => {
        scratch.file('root/f.txt')
        let kept: RootWalkEntry | undefined
        root.walk('', (entry) => {
          fs.unlinkSync(scratch.at('root/f.txt'))
          expect(entry.stat()).toMatchObject({ fault: 'metadata_unavailable' })
          kept = entry
          return 'pass'
        })
        expect(kept?.stat()).toMatchObject({ fault: 'metadata_unavailable' })
      }),
    )

    it(
      'visits a folder that cannot be read once more, as unknown, and goes on',
      inScratch((scratch, root) => {
        scratch.file('root/a/f.txt')
        scratch.file('root/b/f.txt')
        const seen: string[] = []
        root.walk('', (entry) => {
          seen.push(`${entry.path}:${entry.kind}:${entry.fault?.fault ?? ''}`)
          if (entry.path === 'a' && entry.kind === 'dir') fs.rmSync(scratch.at('root/a'), { recursive: true })
          return 'enter'
        })
        expect(seen).toEqual(['a:dir:', 'a:unknown:read_dir_failed', 'b:dir:', 'b/f.txt:file:'])
      }),
    )

    it(
      'fails where it cannot begin',
      inScratch((scratch, root) => {
        scratch.file('root/f.txt')
        expect(codeOf(() => walkAll(root, 'none'))).toBe('execution_failed')
        expect(codeOf(() => walkAll(root, 'f.txt'))).toBe('execution_failed')
      }),
    )

    it(
      'lets the visitor use the root, and lets go of everything when the visitor throws',
      inScratch((scratch, root) => {
        scratch.file('root/a/f.txt', 'text')
        const before = fs.readdirSync('/proc/self/fd').length
        const texts: string[] = []
        root.walk('', (entry) => {
          if (entry.kind === 'file') texts.push(readText(root, entry.path))
          return 'enter'
        })
        expect(texts).toEqual(['text'])
        expect(() => {
          root.walk('', (entry) => {
            if (entry.kind === 'file') throw new Error('enough')
            return 'enter'
          })
        }).toThrow('enough')
        expect(fs.readdirSync('/proc/self/fd').length - before).toBeLessThanOrEqual(2)
      }),
    )
  })
}
