import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findGitPlace, findGitPlaces } from '../../../src/host/git/git-places.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { git, makeRepository } from '../confine/git-attacks.ts'

beforeEach(() => vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1'))
afterEach(() => vi.unstubAllEnvs())

/** A repository with submodules whose git folders are in its own, and settings of the user for all of them. */
function makeProject({ submodules, settings }: { submodules: number; settings: string }) {
  const scratch = makeScratch()
  const root = makeRepository(scratch.at('project'))
  const home = scratch.folder('home')
  scratch.file('home/.gitconfig', settings)
  const names = Array.from({ length: submodules }, (_, at) => `libs/part-${at}`)
  for (const name of names) {
    const gitFolder = join(root, '.git/modules', name)
    for (const part of ['objects', 'refs']) mkdirSync(join(gitFolder, part), { recursive: true })
    writeFileSync(join(gitFolder, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(gitFolder, 'config'), `[core]\n\tworktree = ../../../../${name}\n`)
    scratch.file(`project/${name}/.git`, `gitdir: ../../.git/modules/${name}\n`)
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${name}`)
  }
  const judge = (path: string): string => {
    const found = findGitPlaces([root], root, home)
    return found.ok ? (findGitPlace(found, join(root, path))?.why ?? 'free') : `refused: ${found.why}`
  }
  return { scratch, judge }
}

/** As users collect them. */
const ALIASES = Array.from(
  { length: 250 },
  (_, at) =>
    `\ta${at} = !"f() { git log --pretty=format:'%C(yellow)%h %Cblue%ad' --date=short -S$1 | head -n ${at}; }; f"\n`,
)

describe("a project with submodules and the user's settings for every repository", () => {
  it('can be changed with many submodules and a long list of aliases', () => {
    const { judge } = makeProject({ submodules: 30, settings: `[alias]\n${ALIASES.join('')}` })
    expect(judge('new.txt')).toBe('free')
  })

  it.each([
    ['a missing path', 'tools/monitor.sh', 'tools/monitor.sh', false],
    ['a path that stands in a list with others', 'env x,tools/monitor.sh', 'tools/monitor.sh', true],
    ['a path with signs of a shell', "sh 'tools(old)/monitor.sh'", 'tools(old)/monitor.sh', true],
    ['the same with a dot before it', "sh './tools(old)/monitor'", 'tools(old)/monitor', true],
    ['a path with the sign of an option', "env 'tools=(old)/a/b'", 'tools=(old)/a/b', true],
    ['a file whose name has no slash', 'sh monitor', 'monitor', true],
  ])('has the programs out of reach that they name in each work tree: %s', (_, value, path, isThere) => {
    const { scratch, judge } = makeProject({
      submodules: 3,
      settings: `[core]\n\tfsmonitor = "${value}"\n`,
    })
    const folders = ['', 'libs/part-0/', 'libs/part-1/', 'libs/part-2/']
    if (isThere) for (const folder of folders) scratch.file(`project/${folder}${path}`)
    for (const folder of folders)
      expect(judge(`${folder}${path}`)).toMatch(/^core\.fsmonitor in .* names it, so git may run it$/s)
  })
})
