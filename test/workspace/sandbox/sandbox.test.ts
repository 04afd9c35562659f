import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import { codeOf, failureOf, makeScratch } from '../../harness/scratch.ts'
import { makeSandbox, openForTest, readText } from './make-sandbox.ts'

describe('the shape of a sandbox', () => {
  it('FR-VAL-03: knows its roots by their real paths, with its denies and its rule for absolute paths', () => {
    const scratch = makeScratch()
    scratch.file('real/root/a.txt', 'text')
    scratch.file('real/root/b.secret')
    scratch.link('alias', 'real')
    const options = {
      roots: [openForTest(scratch.at('alias/root'))] as const,
      deniedPatterns: ['*.secret'],
      includeDefaultDenies: true,
    }
    const relativeOnly = createSandbox({ ...options, allowAbsolute: false })
    const absoluteToo = createSandbox({ ...options, allowAbsolute: true })
    expect(relativeOnly.roots[0].path).toBe(scratch.at('real/root'))
    expect(codeOf(() => relativeOnly.locate('b.secret', 'read'))).toBe('denied_pattern')
    expect(codeOf(() => relativeOnly.locate(scratch.at('real/root/a.txt'), 'read'))).toBe(
      'path_outside_sandbox',
    )
    expect(absoluteToo.locate(scratch.at('real/root/a.txt'), 'read').rel).toBe('a.txt')
  })

  it('refuses to be made with a pattern that cannot be understood', () => {
    const error = failureOf(() => makeSandbox(makeScratch(), { deniedPatterns: ['a[b'] }))
    expect(error).toMatchObject({ code: 'bad_args', details: { pattern: 'a[b' } })
  })
})

describe('the seven steps', () => {
  it('FR-VAL-04: refuses absolute, then "..", then follows links, checks the root, and last the denies', () => {
    const scratch = makeScratch()
    scratch.file('root/a/b.txt')
    scratch.file('root/secret.pem')
    scratch.file('outside/f.txt')
    scratch.link('root/alias', 'a')
    scratch.link('root/key', 'secret.pem')
    scratch.link('root/door', '../outside')
    const sandbox = makeSandbox(scratch)
    const outcome = (path: string): string => {
      try {
        return sandbox.locate(path, 'read').absolute
      } catch {
        return codeOf(() => sandbox.locate(path, 'read'))
      }
    }
    expect(outcome('/etc/passwd')).toBe('path_outside_sandbox')
    expect(outcome(scratch.at('root/a/b.txt'))).toBe('path_outside_sandbox')
    expect(outcome('a/../a/b.txt')).toBe('path_outside_sandbox')
    expect(outcome('alias/b.txt')).toBe(scratch.at('root/a/b.txt'))
    expect(outcome('alias/new/c.txt')).toBe(scratch.at('root/a/new/c.txt'))
    expect(outcome('door/f.txt')).toBe('path_outside_sandbox')
    expect(outcome('key')).toBe('denied_pattern')
  })

  it('FR-VAL-04a: hands out the canonical path, and reading by it is reading what the link named', () => {
    const scratch = makeScratch()
    scratch.file('root/real/deep/f.txt', 'the one')
    scratch.link('root/short', 'real/deep')
    const sandbox = makeSandbox(scratch)
    const where = sandbox.locate('./short//f.txt', 'read')
    expect(where).toMatchObject({
      rel: 'real/deep/f.txt',
      absolute: scratch.at('root/real/deep/f.txt'),
      display: 'real/deep/f.txt',
      kind: 'file',
    })
    // The link moves on; what was located stays what it was.
    fs.unlinkSync(scratch.at('root/short'))
    scratch.link('root/short', '/etc')
    expect(where.root.openFile(where.rel).stat.size).toBe(7)
  })

  it.each([
    '../x',
    'a/../b',
    'a/..',
    '..',
    './..',
    'a/b/../../../x',
    '../root/a.txt',
    '..\\x',
    'a\\..\\b',
    '~/../x',
    '/..',
    '/w/../etc/passwd',
  ])('T-SBX-01: refuses to go up in %j', (path) => {
    const scratch = makeScratch()
    scratch.file('root/a.txt')
    for (const allowAbsolute of [false, true]) {
      const sandbox = makeSandbox(scratch, { allowAbsolute })
      expect(failureOf(() => sandbox.locate(path, 'read'))).toMatchObject({
        code: 'path_outside_sandbox',
        details: { reason: 'PathOutsideSandbox', attempted: path },
      })
      expect(codeOf(() => sandbox.locate(path, 'write'))).toBe('path_outside_sandbox')
      expect(codeOf(() => sandbox.locate(path, 'list'))).toBe('path_outside_sandbox')
    }
  })

  it('T-SBX-01: takes names that only look like going up', () => {
    const scratch = makeScratch()
    for (const name of ['..a', 'a..', '...', 'a..b']) scratch.file(`root/${name}`, name)
    const sandbox = makeSandbox(scratch)
    for (const name of ['..a', 'a..', '...', 'a..b']) expect(readText(sandbox, name)).toBe(name)
  })

  it('T-SBX-02: refuses absolute paths where they are not allowed, also into the root', () => {
    const scratch = makeScratch()
    scratch.file('root/a.txt')
    const sandbox = makeSandbox(scratch, { allowAbsolute: false })
    for (const path of ['/etc/passwd', '/', '//etc/passwd', scratch.at('root/a.txt'), scratch.at('root')]) {
      const error = failureOf(() => sandbox.locate(path, 'read'))
      expect(error).toMatchObject({ code: 'path_outside_sandbox', details: { attempted: path } })
      expect(error.message).toContain('absolute paths are not allowed')
    }
  })

  it('accepts absolute paths into the root where they are allowed, also by an alias of it, and no others', () => {
    const scratch = makeScratch()
    scratch.file('root/a.txt')
    scratch.file('root-evil/a.txt')
    scratch.link('alias', 'root')
    scratch.link('far', scratch.at('alias'))
    const sandbox = makeSandbox(scratch, { allowAbsolute: true })
    for (const path of ['root/a.txt', 'alias/a.txt', 'far/a.txt']) {
      expect(sandbox.locate(scratch.at(path), 'read')).toMatchObject({ rel: 'a.txt', display: 'a.txt' })
    }
    expect(sandbox.locate(scratch.at('alias'), 'list')).toMatchObject({ rel: '', display: '.' })
    expect(sandbox.locate(scratch.at('alias/new/b.txt'), 'write')).toMatchObject({
      rel: 'new/b.txt',
      kind: 'missing',
    })
    for (const path of [
      scratch.at('root-evil/a.txt'),
      scratch.at('roo'),
      scratch.path,
      '/',
      '/etc/passwd',
      '/proc/self/environ',
    ]) {
      expect(failureOf(() => sandbox.locate(path, 'read'))).toMatchObject({
        code: 'path_outside_sandbox',
        details: { reason: 'PathOutsideSandbox', attempted: path, resolved: path },
      })
    }
  })

  it('NFR-SEC-01: nothing outside the root is reached, whatever the path looks like', () => {
    const scratch = makeScratch()
    scratch.file('root/a.txt', 'inside')
    scratch.file('secret.txt', 'outside')
    scratch.file('root-evil/secret.txt', 'outside')
    for (const [at, target] of [
      '../secret.txt',
      '../root-evil',
      '/',
      scratch.at('secret.txt'),
      '/proc/self/root',
    ].entries()) {
      scratch.link(`root/link${at}`, target)
    }
    const tries = [
      '../secret.txt',
      './../secret.txt',
      'a.txt/../../secret.txt',
      'link0',
      'link1/secret.txt',
      'link3',
    ]
    tries.push(
      `link2${scratch.at('secret.txt')}`,
      `link4${scratch.at('secret.txt')}`,
      scratch.at('secret.txt'),
      '../root-evil/secret.txt',
    )
    for (const allowAbsolute of [false, true]) {
      const sandbox = makeSandbox(scratch, { allowAbsolute })
      for (const path of tries) {
        for (const intent of ['read', 'write', 'list'] as const) {
          expect(
            codeOf(() => sandbox.locate(path, intent)),
            path,
          ).toBe('path_outside_sandbox')
        }
      }
      expect(readText(sandbox, 'a.txt')).toBe('inside')
    }
  })

  it('F-SBX-NORM: normalises before anything else: dots, doubled and trailing slashes; "~" stays a name', () => {
    const scratch = makeScratch()
    scratch.file('root/a/b.txt')
    scratch.file('root/~/c.txt')
    const sandbox = makeSandbox(scratch)
    for (const path of ['a/b.txt', './a/b.txt', 'a//b.txt', 'a/./b.txt', './/a/.//b.txt']) {
      expect(sandbox.locate(path, 'read')).toMatchObject({ rel: 'a/b.txt', display: 'a/b.txt', kind: 'file' })
    }
    for (const path of ['a', 'a/', './a//', 'a/.']) expect(sandbox.locate(path, 'list').display).toBe('a')
    for (const path of ['.', './', './/.'])
      expect(sandbox.locate(path, 'list')).toMatchObject({ rel: '', display: '.' })
    expect(sandbox.locate('~/c.txt', 'read').rel).toBe('~/c.txt')
  })
})
