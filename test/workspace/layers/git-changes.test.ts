import { describe, expect, it } from 'vitest'
import { benchWith, refusalOf } from './bench-with.ts'
import { someOf } from '../../harness/long-run.ts'

const GIT = 'git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main'
const REPOSITORY = `${GIT} init -q; echo 1 >a; git add a; ${GIT} commit -qm one`
const HOME = 'export HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1'

function gitBench(prepare: string, script: string) {
  return benchWith(`${HOME}; ${prepare}`, `${HOME}; ${script}`)
}

describe('what a command changed for git', () => {
  it('lands as a whole if it commits: index, objects, refs, logs and HEAD', async () => {
    const bench = gitBench(REPOSITORY, `echo 2 >a; git add a; ${GIT} commit -qm two; git checkout -qb next`)
    const { changes, leftOut } = await bench.read()
    const paths = changes.map(({ path }) => path)
    expect(leftOut).toEqual([])
    expect(paths).toEqual(
      expect.arrayContaining([
        'a',
        '.git/index',
        '.git/HEAD',
        '.git/logs/HEAD',
        '.git/refs/heads/main',
        '.git/refs/heads/next',
      ]),
    )
    expect(paths.filter((path) => path.startsWith('.git/objects/')).length).toBeGreaterThan(3)
  })

  it.for(
    someOf(
      [
        ['a new repository', 'true', `${GIT} init -q sub; echo 1 >sub/a`, 'sub/.git'],
        ['the root as a repository', 'true', `${GIT} init -q; echo 1 >a`, '.git'],
        ['a file in the place of a git folder', 'true', 'mkdir sub; echo gitdir: ../x >sub/.git', 'sub/.git'],
        ['another spelling of its name', 'true', 'mkdir -p sub/.GIT; echo 1 >sub/.GIT/config', 'sub/.GIT'],
        ['a bare repository', 'true', `${GIT} init -q --bare r.git`, 'r.git'],
        ['a clone', `mkdir o; cd o; ${REPOSITORY}`, 'git clone -q o c', 'c/.git'],
        [
          'a new hook',
          REPOSITORY,
          'rm -rf .git/hooks/none; mkdir -p .git/modules; echo x >.git/modules/m',
          '.git/modules',
        ],
        ['settings of a work tree', REPOSITORY, 'echo x >.git/config.worktree', '.git/config.worktree'],
        [
          'a hook in a folder that git is told about',
          `${REPOSITORY}; git config core.hooksPath tools/hooks`,
          'mkdir -p tools/hooks; echo x >tools/hooks/pre-commit',
          'tools/hooks',
        ],
      ] as const,
      3,
    ),
  )('lands without %s', async ([, prepare, script, wanted]) => {
    const { leftOut, changes } = await gitBench(prepare, script).read()
    expect(leftOut.map(({ path }) => path)).toEqual([wanted])
    expect(leftOut[0]?.why).toMatch(/git/)
    expect(changes.filter(({ path }) => `${path}/`.startsWith(`${wanted}/`))).toEqual([])
  })

  it('lands without what makes an existing folder a bare repository', async () => {
    const { leftOut, shown } = await benchWith(
      'mkdir objects; echo 1 >a',
      'mkdir refs; echo x >HEAD; echo 2 >a',
    ).read()
    expect(leftOut.map(({ path }) => path)).toEqual(['HEAD', 'refs'])
    expect(shown.map(({ path }) => path)).toEqual(['a'])
  })

  it.for(
    someOf(
      [
        ['its settings', REPOSITORY, 'git config core.fsmonitor ./x', '.git/config'],
        [
          'a hook',
          `${REPOSITORY}; echo x >.git/hooks/pre-commit`,
          'echo y >.git/hooks/pre-commit',
          '.git/hooks/pre-commit',
        ],
        ['its whole folder', REPOSITORY, 'rm -rf .git', '.git/'],
        ['its folder by another name', REPOSITORY, 'mv .git git', '.git/'],
        [
          'a program that its settings name',
          `${REPOSITORY}; echo x >d.sh; chmod 755 d.sh; git config diff.x.textconv ./d.sh`,
          'echo y >d.sh',
          'd.sh',
        ],
        ['the folder above a repository', `mkdir s; cd s; ${REPOSITORY}`, 'mv s t', 's/.git/'],
      ] as const,
      2,
    ),
  )('is refused if it would change %s', async ([, prepare, script, wanted]) => {
    const refusal = await refusalOf(gitBench(prepare, script).read())
    expect(refusal).toMatch(/^denied_pattern: Nothing was landed: /)
    expect(refusal).toContain(wanted)
  })

  it('is refused if an index would name a repository whose settings git then follows', async () => {
    const bench = gitBench(`${REPOSITORY}; mkdir inner; cd inner; ${REPOSITORY}`, 'git add inner')
    expect(await refusalOf(bench.read())).toContain(
      '.git/index would have been changed, but it would name inner',
    )
  })

  it('lands links, unless one would replace a folder above what git runs', async () => {
    const prepare = `${REPOSITORY}; git config core.hooksPath tools/hooks`
    const { leftOut } = await gitBench(prepare, 'mkdir -p evil/hooks; ln -s evil tools').read()
    expect(leftOut.map(({ path }) => path)).toEqual(['tools'])
  })
})
