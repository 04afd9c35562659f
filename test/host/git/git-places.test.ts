import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MAX_INDEX_BYTES } from '../../../src/host/git/git-index.ts'
import { findGitPlace, findGitPlaces } from '../../../src/host/git/git-places.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { makeRepository } from '../confine/git-attacks.ts'

beforeEach(() => vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1'))
afterEach(() => vi.unstubAllEnvs())

function makeWork(config = '') {
  const scratch = makeScratch()
  const folder = makeRepository(scratch.at('work'))
  const home = scratch.folder('home')
  appendFileSync(join(folder, '.git/config'), config)
  const find = () => findGitPlaces([folder], folder, home)
  return { folder, git: join(folder, '.git'), find }
}

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('')
const TOO_MUCH = 'more paths, or longer ones, would have to be followed for git than any project has'

describe('what a hostile configuration of git names', () => {
  it.each([
    ['a list of many parts', `[core] x = ${'./a:'.repeat(200_000)}\n`],
    ['a long command', `[core] pager = ${'a=b/c '.repeat(100_000)}\n`],
    [
      'a command with many names',
      `[core] pager = ${lines(60_000, (at) => `w${at}`).replaceAll('\n', ' ')}\n`,
    ],
    ['many commands', `[core]\n${lines(25_000, (at) => `x${at} = w${at} v u`)}`],
    ['many work trees', `[core]\n${lines(8_000, (at) => `worktree = w${at}\nx${at} = y`)}`],
    ['a folder that it leaves again and again', `[core] pager = ${'/a/b/../'.repeat(5_000)}x\n`],
  ])('is refused within seconds if it is %s', (_, config) => {
    expect(makeWork(config).find()).toMatchObject({ ok: false, why: expect.stringContaining(TOO_MUCH) })
  })

  it('is refused if the files that it includes are too much together', () => {
    const { git, find } = makeWork(lines(60, (at) => `[include] path = inc${at}`))
    for (let at = 0; at < 60; at++) writeFileSync(join(git, `inc${at}`), `[x]\n${' a = b\n'.repeat(60_000)}`)
    expect(find()).toMatchObject({ ok: false, why: expect.stringContaining('more than 4194304 bytes') })
  })

  it('is refused if it begins with the homes of many users, each of whom git would have to be asked for', () => {
    const { find } = makeWork(lines(900, (at) => `[include] path = :(optional)~u${at}/x`))
    expect(find()).toMatchObject({
      ok: false,
      why: expect.stringContaining('the homes of more than 64 users'),
    })
  })

  it('is no place if it is longer than any path, and everything else goes on', () => {
    const { folder, find } = makeWork(`[core]\nhooksPath = ${'a/'.repeat(60_000)}\npager = tools/page\n`)
    const found = find()
    expect(found.ok && findGitPlace(found, join(folder, 'tools/page'))).not.toBe(null)
    expect(found.ok && findGitPlace(found, join(folder, 'a'))).toBe(null)
  })

  it('is no place if a name in it is longer than any', () => {
    const { find } = makeWork(`[core]\nhooksPath = ${'a'.repeat(256)}/b\n`)
    expect(find()).toMatchObject({ ok: true, places: [] })
  })

  it('is refused if git could get there step by step, and nothing could protect it', () => {
    const { find } = makeWork(`[core]\nhooksPath = ${'a/'.repeat(2_040)}b\n`)
    expect(find()).toMatchObject({
      ok: false,
      why: expect.stringContaining('a path is too long to be protected'),
    })
  })

  it('is kept although its spelling is longer than any path', () => {
    const { folder, find } = makeWork(`[core]\npager = node ./${'./'.repeat(3_000)}tools/page.js\n`)
    const found = find()
    expect(found.ok && findGitPlace(found, join(folder, 'tools/page.js'))).not.toBe(null)
  })

  it('is kept if it climbs out of what is missing', () => {
    const { folder, find } = makeWork('[core]\nhooksPath = gone/away/../../tools\n')
    const found = find()
    expect(found.ok && findGitPlace(found, join(folder, 'tools/pre-commit'))).not.toBe(null)
    symlinkSync('elsewhere', join(folder, 'tools'))
    const linked = find()
    expect(linked.ok && findGitPlace(linked, join(folder, 'elsewhere/pre-commit'))).not.toBe(null)
  })
})

describe("git's folder", () => {
  it('with very many links among the hooks is refused within seconds', () => {
    const { git, find } = makeWork()
    mkdirSync(join(git, 'hooks'), { recursive: true })
    for (let at = 0; at < 50_000; at++) symlinkSync(`../../t${at}`, join(git, 'hooks', `h${at}`))
    expect(find()).toMatchObject({ ok: false, why: TOO_MUCH })
  })

  const TOO_MANY = { ok: false, why: expect.stringContaining('more than 256 repositories and work trees') }

  it('with more submodules than can be asked about is refused, as git obeys the last of them too', () => {
    const { folder, find } = makeWork()
    const names = Array.from({ length: 256 }, (_, at) => `s${at}`)
    for (const name of names) mkdirSync(join(folder, name, '.git'), { recursive: true })
    const entry = (name: string): string => `160000 ${'1'.repeat(40)} 0\t${name}\n`
    const add = ['-C', folder, 'update-index', '--index-info']
    execFileSync('git', add, { input: names.map(entry).join('') })
    expect(find()).toEqual(TOO_MANY)
  })

  it('with more work trees that have settings than can be asked about is refused, wherever they are', () => {
    const { git, find } = makeWork()
    const trees = makeScratch()
    for (let at = 0; at < 256; at++) {
      const own = join(git, `worktrees/w${at}`)
      mkdirSync(own, { recursive: true })
      writeFileSync(join(own, 'gitdir'), `${trees.file(`w${at}/.git`, `gitdir: ${own}\n`)}\n`)
      writeFileSync(join(own, 'config.worktree'), '')
    }
    expect(find()).toEqual(TOO_MANY)
  })

  it('is refused if its index is larger than we read, because git reads what it names', () => {
    const { git, find } = makeWork()
    truncateSync(join(git, 'index'), MAX_INDEX_BYTES + 1)
    const why = `git's index in ${git} cannot be used: it has more than ${MAX_INDEX_BYTES} bytes`
    expect(find()).toEqual({ ok: false, why })
  })

  it('with more work trees than anyone has is refused', () => {
    const { git, find } = makeWork()
    mkdirSync(join(git, 'worktrees'))
    for (let at = 0; at < 1_001; at++) writeFileSync(join(git, 'worktrees', `${at}`), '')
    expect(find()).toMatchObject({ ok: false, why: `${git} names more than 1000 work trees` })
  })

  it.each(['commondir', 'worktrees/x/gitdir'])('is judged at once if %s has a million line ends', (name) => {
    const { git, find } = makeWork()
    mkdirSync(join(git, 'worktrees/x'), { recursive: true })
    writeFileSync(join(git, name), `${'\n'.repeat(1_000_000)}x`)
    expect(find()).toMatchObject({ ok: true })
  })
})
