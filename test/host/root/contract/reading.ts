import { Buffer } from 'node:buffer'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf } from '../../../harness/scratch.ts'
import { mkfifoSync, mkzeroSync } from '../make-odd-files.ts'
import { readText, walkAll, scratchWith } from './setup.ts'
import type { OpenRoot } from './setup.ts'

/** Files, metadata and folders. */
export function describeReading(rootName: string, open: OpenRoot): void {
  const inScratch = scratchWith(open)

  describe(`${rootName}: reading`, () => {
    it(
      'opens a regular file and reads it in parts and whole',
      inScratch((scratch, root) => {
        scratch.file('root/a/f.txt', 'hello world')
        const file = root.openFile('a/f.txt')
        const buffer = Buffer.alloc(5)
        expect(file.stat).toMatchObject({ kind: 'file', size: 11 })
        expect(file.read(buffer, 0, 5, 6)).toBe(5)
        expect(buffer.toString()).toBe('world')
        expect(file.read(buffer, 0, 5, 11)).toBe(0)
        expect(Buffer.from(file.readAll(11)).toString()).toBe('hello world')
        file.close()
        file.close()
        expect(codeOf(() => file.read(buffer, 0, 5, 0))).toBe('execution_failed')
      }),
    )

    it(
      'refuses a file over the limit before reading it, also a sparse one of 100 GB',
      inScratch((scratch, root) => {
        fs.truncateSync(scratch.file('root/huge', ''), 100 * 2 ** 30)
        scratch.file('root/eleven', 'hello world')
        const error = failureOf(() => root.openFile('huge').readAll(1000))
        expect(error).toMatchObject({
          code: 'limit_exceeded',
          details: { reason: 'LimitsExceeded', limit: 1000 },
        })
        expect(codeOf(() => root.openFile('eleven').readAll(10))).toBe('limit_exceeded')
      }),
    )

    it(
      'reads a file that grows, up to the limit',
      inScratch((scratch, root) => {
        const path = scratch.file('root/log', 'ab')
        const file = root.openFile('log')
        fs.appendFileSync(path, 'x'.repeat(200_000))
        expect(file.readAll(200_002)).toHaveLength(200_002)
        expect(codeOf(() => file.readAll(200_001))).toBe('limit_exceeded')
        file.close()
      }),
    )

    it(
      'says what is wrong with a file that is missing, a folder, or under a file',
      inScratch((scratch, root) => {
        scratch.file('root/f.txt')
        scratch.folder('root/d')
        expect(failureOf(() => root.openFile('none'))).toMatchObject({
          code: 'execution_failed',
          details: { errno: 'ENOENT' },
        })
        expect(failureOf(() => root.openFile('x/none'))).toMatchObject({
          code: 'execution_failed',
          details: { errno: 'ENOENT' },
        })
        expect(failureOf(() => root.openFile('d')).message).toContain('it is a folder')
        expect(codeOf(() => root.openFile(''))).toBe('execution_failed')
        expect(codeOf(() => root.openFile('f.txt/x'))).toBe('execution_failed')
      }),
    )

    it(
      'answers at once for a pipe, a socket and a device',
      inScratch(async (scratch, root) => {
        mkfifoSync(scratch.at('root/pipe'))
        const server = createServer()
        await new Promise<void>((done) => server.listen(scratch.at('root/socket'), done))
        const odd = ['pipe', 'socket']
        if (mkzeroSync(scratch.at('root/zero'))) odd.push('zero')
        for (const rel of odd) {
          expect(failureOf(() => root.openFile(rel))).toMatchObject({ code: 'execution_failed' })
          expect(root.stat(rel)?.kind).toBe('other')
        }
        expect(failureOf(() => root.openFile('pipe')).message).toContain('named pipe')
        await new Promise((done) => server.close(done))
      }),
    )

    it(
      'looks at the name itself, never at what a link points to',
      inScratch((scratch, root) => {
        scratch.file('root/f.txt', 'four')
        fs.chmodSync(scratch.at('root/f.txt'), 0o640)
        fs.utimesSync(scratch.at('root/f.txt'), 1_700_000_000, 1_700_000_000.25)
        scratch.link('root/link', 'f.txt')
        const stats = fs.lstatSync(scratch.at('root/f.txt'))
        expect(root.stat('f.txt')).toEqual({
          kind: 'file',
          size: 4,
          modifiedMs: 1_700_000_000_250,
          changedMs: expect.any(Number),
          mode: 0o640,
          uid: stats.uid,
          gid: stats.gid,
          ino: stats.ino,
          dev: stats.dev,
          nlink: 1,
          isWhiteout: false,
        })
        expect(root.stat('link')?.kind).toBe('symlink')
        expect(root.stat('')?.kind).toBe('dir')
        expect(root.stat('none')).toBeNull()
        expect(root.stat('no/such/folder')).toBeNull()
      }),
    )

    it(
      'lists a folder in code point order with kinds, and nothing outside it',
      inScratch((scratch, root) => {
        for (const name of ['b', 'A', 'é', '\u{1F600}', '\uFFFD', 'z.txt', '.hidden'])
          scratch.file(`root/d/${name}`)
        scratch.folder('root/d/sub')
        scratch.link('root/d/link', 'nowhere')
        expect(root.list('d').map((entry) => `${entry.name}:${entry.kind}`)).toEqual([
          '.hidden:file',
          'A:file',
          'b:file',
          'link:symlink',
          'sub:dir',
          'z.txt:file',
          'é:file',
          '\uFFFD:file',
          '\u{1F600}:file',
        ])
        expect(failureOf(() => root.list('none'))).toMatchObject({
          code: 'execution_failed',
          details: { errno: 'ENOENT' },
        })
        expect(codeOf(() => root.list('d/b'))).toBe('execution_failed')
      }),
    )

    it(
      'reaches names that are odd: newline, blank, backslash, an ending like that of a deleted folder',
      inScratch((scratch, root) => {
        for (const folder of [
          'new\nline',
          ' blank ',
          'back\\slash',
          'gone (deleted)',
          'tab\t',
          '\u202Ebidi',
          'ü',
        ]) {
          scratch.file(`root/${folder}/f.txt`, folder)
          expect(readText(root, `${folder}/f.txt`)).toBe(folder)
          expect(root.list(folder).map((entry) => entry.name)).toEqual(['f.txt'])
        }
      }),
    )

    it(
      'shows names that are not UTF-8 readably and still reaches them',
      inScratch((scratch, root) => {
        const bytes = Buffer.from('root/caf\xe9', 'latin1')
        const folder = Buffer.concat([Buffer.from(`${scratch.path}/`), bytes])
        fs.mkdirSync(folder)
        fs.writeFileSync(Buffer.concat([folder, Buffer.from('/\xff.txt', 'latin1')]), 'odd')
        scratch.file('root/caf\uFFFD/real.txt')
        const [first, second] = root.list('')
        expect([first?.name, second?.name]).toEqual(['caf\uFFFD', 'caf\uFFFD'])
        const odd = [first, second].find((entry) => entry?.exactName !== 'caf\uFFFD')?.exactName ?? ''
        const [inside] = root.list(odd)
        expect(inside?.name).toBe('\uFFFD.txt')
        expect(readText(root, `${odd}/${inside?.exactName ?? ''}`)).toBe('odd')
        expect(root.stat(`${odd}/${inside?.exactName ?? ''}`)?.size).toBe(3)
        expect(walkAll(root)).toContain('caf\uFFFD/\uFFFD.txt:file')
      }),
    )

    it.each(['..', '.', 'a/..', '../root/f.txt', './f.txt', '/f.txt', 'a//f.txt'])(
      'refuses %j where a path without links is expected',
      (path) =>
        inScratch((scratch, root) => {
          scratch.file('root/f.txt', 'inside')
          scratch.folder('root/a')
          expect(codeOf(() => root.openFile(path))).toMatch(/execution_failed|path_outside_sandbox/)
          expect(() => root.unlink(path)).toThrow()
          expect(readText(root, 'f.txt')).toBe('inside')
        })(),
    )

    it(
      'refuses a path that holds NUL',
      inScratch((_, root) => {
        expect(codeOf(() => root.openFile('a\0b'))).toBe('bad_args')
      }),
    )

    it(
      'NFR-SEC-02, FR-VAL-04a: fails closed when a part has become a link since it was resolved',
      inScratch(async (scratch, root) => {
        scratch.file('root/d/f.txt', 'inside')
        scratch.file('root/e/f.txt', 'other')
        scratch.file('outside/f.txt', 'secret')
        expect(readText(root, 'd/f.txt')).toBe('inside')
        fs.renameSync(scratch.at('root/d'), scratch.at('root/d.away'))
        scratch.link('root/d', '../outside')
        await Promise.resolve()
        for (const use of [
          () => root.openFile('d/f.txt'),
          () => root.list('d'),
          () => walkAll(root, 'd'),
          () => root.stat('d/f.txt'),
        ]) {
          expect(failureOf(use)).toMatchObject({
            code: 'path_outside_sandbox',
            details: { reason: 'PathOutsideSandbox' },
          })
        }
        fs.unlinkSync(scratch.at('root/d'))
        scratch.link('root/d', 'e')
        await Promise.resolve()
        expect(failureOf(() => root.openFile('d/f.txt')).message).toContain('changed while in use')
        scratch.link('root/last', 'e/f.txt')
        expect(codeOf(() => root.openFile('last'))).toBe('execution_failed')
      }),
    )

    it(
      'sees a folder that was replaced by another of its name',
      inScratch(async (scratch, root) => {
        scratch.file('root/d/f.txt', 'old')
        expect(readText(root, 'd/f.txt')).toBe('old')
        await Promise.resolve()
        fs.renameSync(scratch.at('root/d'), scratch.at('root/old'))
        scratch.file('root/d/f.txt', 'new')
        expect(readText(root, 'd/f.txt')).toBe('new')
        await Promise.resolve()
        fs.rmSync(scratch.at('root/d'), { recursive: true })
        expect(failureOf(() => root.openFile('d/f.txt')).details['errno']).toBe('ENOENT')
        expect(root.stat('d/f.txt')).toBeNull()
      }),
    )

    it(
      'follows its path when the root is made anew, and refuses when that is a link',
      inScratch(async (scratch, root) => {
        scratch.file('root/f.txt', 'old')
        expect(readText(root, 'f.txt')).toBe('old')
        await Promise.resolve()
        fs.renameSync(scratch.at('root'), scratch.at('moved'))
        expect(codeOf(() => root.openFile('f.txt'))).toBe('execution_failed')
        scratch.link('root', 'moved')
        expect(codeOf(() => root.openFile('f.txt'))).not.toBe('')
        fs.unlinkSync(scratch.at('root'))
        scratch.file('root/f.txt', 'new')
        expect(readText(root, 'f.txt')).toBe('new')
      }),
    )

    it(
      'does nothing any more once it is closed',
      inScratch((scratch, root) => {
        scratch.file('root/d/f.txt')
        root.openFile('d/f.txt').close()
        root.close()
        root.close()
        for (const use of [
          () => root.openFile('d/f.txt'),
          () => root.list(''),
          () => root.resolve('d/f.txt'),
          () => root.stat('d'),
        ]) {
          expect(failureOf(use)).toMatchObject({
            code: 'execution_failed',
            message: expect.stringContaining('closed'),
          })
        }
      }),
    )
  })
}
