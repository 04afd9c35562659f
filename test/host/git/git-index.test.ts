import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readGitlinks } from '../../../src/host/git/git-index.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { git, makeRepository } from '../confine/git-attacks.ts'
import { roundsOf } from '../../harness/long-run.ts'

const HASH = '1234567890123456789012345678901234567890'

function withLinks(format: 'sha1' | 'sha256', paths: readonly string[]): string {
  const folder = makeScratch().at('work')
  mkdirSync(folder)
  git(folder, 'init', '-q', `--object-format=${format}`)
  const name = format === 'sha1' ? HASH : HASH.padEnd(64, '0')
  for (let at = 0; at < 30; at++) writeFileSync(join(folder, `file-${at}`), `${at}`)
  git(folder, 'add', '.')
  for (const path of paths) git(folder, 'update-index', '--add', '--cacheinfo', `160000,${name},${path}`)
  return folder
}

function header(version: number, count: number): Buffer {
  const bytes = Buffer.from('DIRC\0\0\0\0\0\0\0\0')
  bytes.writeUInt32BE(version, 4)
  bytes.writeUInt32BE(count, 8)
  return bytes
}

describe("git's index", () => {
  const paths = ['libs/one', 'libs/one-more', 'z', 'ä/ö']
  it.for([
    ['sha1', []],
    ['sha256', []],
    ['sha1', ['update-index', '--index-version', '4']],
    ['sha256', ['update-index', '--index-version', '4']],
    ['sha1', ['update-index', '--split-index']],
    ['sha1', ['update-index', '--skip-worktree', 'file-3']],
    ['sha1', ['update-index', '--untracked-cache']],
  ] as const)('names the repositories in it, in format %s after %j', ([format, after]) => {
    const folder = withLinks(format, paths)
    if (after.length > 0) git(folder, ...after)
    const links = readGitlinks(join(folder, '.git/index'))
    expect(links.ok && links.paths.toSorted()).toEqual(paths.toSorted())
  })

  it('names those of a shared part and those added after it was split', () => {
    const folder = withLinks('sha1', ['before'])
    git(folder, 'update-index', '--split-index')
    git(folder, 'update-index', '--add', '--cacheinfo', `160000,${HASH},after`)
    const links = readGitlinks(join(folder, '.git/index'))
    expect(links.ok && links.paths.toSorted()).toEqual(['after', 'before'])
  })

  it('names one that took the place of a file since it was split', () => {
    const folder = withLinks('sha1', ['before'])
    git(folder, 'update-index', '--split-index')
    git(folder, 'rm', '-q', '--cached', 'file-1')
    git(folder, 'update-index', '--add', '--cacheinfo', `160000,${HASH},file-2`)
    const links = readGitlinks(join(folder, '.git/index'))
    expect(links.ok && links.paths).toEqual(expect.arrayContaining(['before', 'file-2']))
  })

  it('that is not there names none; one that is nonsense, a folder or a pipe is an error and no trap', () => {
    const scratch = makeScratch()
    expect(readGitlinks(scratch.at('missing'))).toEqual({ ok: true, paths: [], folders: [] })
    expect(readGitlinks(scratch.file('nonsense', 'DIRC nonsense'))).toMatchObject({ ok: false })
    expect(readGitlinks(scratch.folder('folder'))).toMatchObject({ ok: false })
    execFileSync('mkfifo', [scratch.at('pipe')])
    expect(readGitlinks(scratch.at('pipe'))).toMatchObject({ ok: false })
    expect(readGitlinks(scratch.link('loop', 'loop'))).toMatchObject({ ok: false })
  })

  it('that is as large as no project is not read at all', () => {
    const file = makeScratch().file('index', 'DIRC\0\0\0\u0002\0\0\0\0')
    truncateSync(file, 500 * 1024 ** 2)
    expect(readGitlinks(file)).toEqual({ ok: false, reason: 'it has more than 134217728 bytes' })
    const zeros = makeScratch().file('index', '')
    truncateSync(zeros, 100 * 1024 ** 2)
    expect(readGitlinks(zeros)).toEqual({ ok: false, reason: 'it cannot be read' })
  })

  it('whose names have each all of the one before it is read once through, and not again and again', () => {
    const entry = (name: string, type: number): Buffer => {
      const fields = Buffer.alloc(40)
      fields.writeUInt32BE(type, 24)
      return Buffer.concat([
        fields,
        Buffer.alloc(20, 1),
        Buffer.from([0x0f, 0xff, 0]),
        Buffer.from(`${name}\0`),
      ])
    }
    const many = Array.from({ length: 100_000 }, () => entry('y', 0o100644))
    const bytes = Buffer.concat([
      header(4, many.length + 2),
      entry('x'.repeat(1_000_000), 0o100644),
      ...many,
      entry('z', 0o160000),
    ])
    const index = makeScratch().at('index')
    writeFileSync(index, Buffer.concat([bytes, Buffer.alloc(20)]))
    // A path of that length is nowhere on disk.
    expect(readGitlinks(index)).toEqual({ ok: true, paths: [], folders: [] })
  })

  it('that names more repositories than anyone has, or deeper ones, is refused', () => {
    const entry = (name: string): Buffer => {
      const fields = Buffer.alloc(60, 0)
      fields.writeUInt32BE(0o160000, 24)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(name.length)
      const made = Buffer.concat([fields, length, Buffer.from(name)])
      return Buffer.concat([made, Buffer.alloc(8 - (made.length % 8))])
    }
    const write = (names: readonly string[]): string => {
      const index = makeScratch().at('index')
      writeFileSync(index, Buffer.concat([header(2, names.length), ...names.map(entry), Buffer.alloc(20)]))
      return index
    }
    const some = Array.from({ length: 1_000 }, (_, at) => `libs/of/ours/number-${at}`)
    expect(readGitlinks(write(some))).toEqual({ ok: true, paths: some, folders: [] })
    const refused = { ok: false, reason: 'it names more repositories than can be looked at' }
    expect(readGitlinks(write(Array.from({ length: 50_000 }, (_, at) => `s${at}`)))).toEqual(refused)
    expect(readGitlinks(write(Array.from({ length: 50 }, (_, at) => `${'d/'.repeat(1_000)}${at}`)))).toEqual(
      refused,
    )
  })

  it.each(['2', '4'])(
    'in which git would find other entries, behind longer names, is an error: version %s',
    (version) => {
      const folder = withLinks('sha1', ['z'])
      git(folder, 'update-index', '--index-version', version)
      const file = join(folder, '.git/index')
      const bytes = readFileSync(file)
      expect(readGitlinks(file)).toMatchObject({ ok: true, paths: ['z'] })
      // The length of the first name.
      bytes.writeUInt16BE(bytes.readUInt16BE(72) + 8, 72)
      writeFileSync(join(folder, 'changed'), bytes)
      expect(readGitlinks(join(folder, 'changed'))).toEqual({
        ok: false,
        reason: 'its format is not supported',
      })
    },
  )

  it.each(['2', '4'])(
    'that git reads in several threads has to have its entries where they look: version %s',
    (version) => {
      const folder = withLinks('sha1', paths)
      git(folder, '-c', 'index.threads=3', 'update-index', '--force-write-index', '--index-version', version)
      const whole = readFileSync(join(folder, '.git/index'))
      const table = whole.indexOf('IEOT')
      const end = whole.indexOf('EOIE')
      expect([table, end].every((at) => at > 0)).toBe(true)
      const read = (at: number, by: number) => {
        const bytes = Buffer.from(whole)
        bytes.writeUInt32BE(bytes.readUInt32BE(at) + by, at)
        writeFileSync(join(folder, 'changed'), bytes)
        return readGitlinks(join(folder, 'changed'))
      }
      expect(read(table + 20, 0)).toMatchObject({ ok: true, paths: paths.toSorted() })
      // Where the second part begins, how many are in the first and in the last one, and where the extensions begin.
      for (const [at, by] of [
        [table + 20, 8],
        [table + 16, 1],
        [table + 32, 1],
        [end + 8, 8],
      ] as const)
        expect(read(at, by)).toEqual({ ok: false, reason: 'its format is not supported' })
    },
  )

  it('never breaks its reader, whatever bytes are in it', () => {
    const folder = makeRepository(makeScratch().at('work'))
    const whole = readFileSync(join(folder, '.git/index'))
    const file = join(folder, 'changed')
    const change = fc.record({ at: fc.nat(whole.length - 1), to: fc.integer({ min: 0, max: 255 }) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), fc.nat(whole.length), (changes, length) => {
        const bytes = Buffer.from(whole.subarray(0, length))
        for (const { at, to } of changes) if (at < length) bytes[at] = to
        writeFileSync(file, bytes)
        expect(typeof readGitlinks(file).ok).toBe('boolean')
      }),
      { numRuns: roundsOf(40, 200) },
    )
  })
})
