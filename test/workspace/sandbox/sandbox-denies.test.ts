import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, makeScratch } from '../../harness/scratch.ts'
import { makeSandbox, readText } from './make-sandbox.ts'

describe('denies at the sandbox', () => {
  it('T-SBX-03: matches denied patterns on the real path, and on the one that was asked for', () => {
    const scratch = makeScratch()
    scratch.file('root/vault/plan.txt')
    scratch.file('root/open.txt')
    scratch.link('root/alias', 'vault')
    scratch.link('root/innocent.txt', 'vault/plan.txt')
    scratch.link('root/looks.secret', 'open.txt')
    const sandbox = makeSandbox(scratch, { deniedPatterns: ['vault/**', '**/*.secret'] })
    for (const [path, pattern] of [
      ['vault/plan.txt', 'vault/**'],
      ['vault', 'vault/**'],
      ['alias/plan.txt', 'vault/**'],
      ['alias/new.txt', 'vault/**'],
      ['innocent.txt', 'vault/**'],
      ['looks.secret', '**/*.secret'],
    ] as const) {
      expect(failureOf(() => sandbox.locate(path, 'read'))).toMatchObject({
        code: 'denied_pattern',
        details: { reason: 'DeniedPatternMatched', attempted: path, pattern },
      })
    }
    expect(sandbox.locate('open.txt', 'read').rel).toBe('open.txt')
  })

  it('NFR-SEC-03: sensitive files are neither read, written nor listed, by any spelling or alias', () => {
    const scratch = makeScratch()
    scratch.file('root/certs/KEY.PEM')
    scratch.file('root/.SSH/id')
    scratch.file('root/.env')
    scratch.file('root/plain.txt')
    scratch.link('root/alias', '.SSH')
    scratch.link('root/env.txt', '.env')
    const sandbox = makeSandbox(scratch)
    for (const path of [
      'certs/KEY.PEM',
      '.SSH/id',
      '.ssh/other',
      'alias/id',
      'env.txt',
      '.env',
      './/.ENV',
      'new/id_rsa',
      'b.key',
    ]) {
      for (const intent of ['read', 'write', 'list'] as const) {
        expect(
          codeOf(() => sandbox.locate(path, intent)),
          path,
        ).toBe('denied_pattern')
      }
    }
    const [root] = sandbox.roots
    const shown = root.list('').filter((entry) => sandbox.findDeny(root, entry.exactName, 'list') === null)
    expect(shown.map((entry) => entry.name)).toEqual(['alias', 'certs', 'env.txt', 'plain.txt'])
  })

  it('lets sensitive names through when the default denies are left out, but never a write to .git', () => {
    const scratch = makeScratch()
    scratch.file('root/a.pem')
    scratch.file('root/.git/config')
    const sandbox = makeSandbox(scratch, { includeDefaultDenies: false })
    expect(sandbox.locate('a.pem', 'read').kind).toBe('file')
    expect(sandbox.locate('.git/config', 'read').kind).toBe('file')
    expect(codeOf(() => sandbox.locate('.git/config', 'write'))).toBe('denied_pattern')
  })

  it('looks at the place before the denies: outside is outside, also for a denied name', () => {
    const scratch = makeScratch()
    const sandbox = makeSandbox(scratch, { allowAbsolute: true })
    expect(codeOf(() => sandbox.locate('/etc/shadow', 'read'))).toBe('path_outside_sandbox')
    expect(codeOf(() => sandbox.locate('../.ssh/id', 'read'))).toBe('path_outside_sandbox')
  })
})

describe('names that are to be created', () => {
  it.each([
    'new\nline',
    'tab\there',
    'bell\x07',
    '\x1B[31mred',
    'right\u202Eleft',
    'iso\u2066late',
    'c1\x9B',
    'tag\u{E0041}',
    'dot.',
    'blank ',
  ])('refuses %j, also as a folder and behind a dangling link', (name) => {
    const scratch = makeScratch()
    scratch.link('root/dangling', name)
    const sandbox = makeSandbox(scratch)
    for (const path of [name, `${name}/f.txt`, `d/${name}`, 'dangling']) {
      expect(
        codeOf(() => sandbox.locate(path, 'write')),
        path,
      ).toBe('bad_args')
    }
    expect(fs.readdirSync(scratch.at('root'))).toEqual(['dangling'])
  })

  it('leaves names that exist readable and writable, however odd', () => {
    const scratch = makeScratch()
    for (const name of ['new\nline', 'right\u202Eleft', 'blank ', 'dot.', 'back\\slash']) {
      scratch.file(`root/${name}`, 'there')
      const sandbox = makeSandbox(scratch)
      expect(readText(sandbox, name)).toBe('there')
      expect(sandbox.locate(name, 'write').kind).toBe('file')
    }
  })
})
