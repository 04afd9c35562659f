import { describe, expect, it } from 'vitest'
import { benchWith, refusalOf } from './bench-with.ts'
import { someOf } from '../../harness/long-run.ts'

const GIT = 'git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main'
const REPOSITORY = `${GIT} init -q; echo 1 >a; git add a; ${GIT} commit -qm one`
const COMMIT = `echo 2 >l; git add l; ${GIT} commit -qm two`
/** A repository with a submodule, whose name has a slash, and a linked work tree below it, which names its repository as it shows on a layer elsewhere. */
const NESTED = `${GIT} init -q lib; cd lib; echo 1 >l; git add l; ${GIT} commit -qm l; cd ..; ${REPOSITORY}; echo lib >.git/info/exclude; echo side >>.git/info/exclude; ${GIT} -c protocol.file.allow=always submodule --quiet add ./lib libs/one; ${GIT} commit -qam sub; git worktree add -q side -b side; echo gitdir: ../.git/worktrees/side >side/.git`
const HEAD = 'echo ref: refs/heads/x >n/HEAD'
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

  it.for([
    ['a repository inside git’s folder', 'true', `${GIT} init -q --bare .git/inner`, ['.git/inner']],
    ['a repository among its refs', 'true', `${GIT} init -q --bare .git/refs/in`, ['.git/refs/in']],
    [
      'what completes a repository inside git’s folder',
      `${GIT} init -q --bare .git/in; rm .git/in/HEAD`,
      'echo ref: refs/heads/x >.git/in/HEAD',
      ['.git/in/HEAD'],
    ],
    [
      'folders in git’s folder that links of another one lead to',
      `mkdir n; ${HEAD}; ln -s ../.git/q/objects n/objects; ln -s ../.git/q/refs n/refs`,
      'mkdir -p .git/q/objects/o .git/q/refs/r',
      ['.git/q'],
    ],
    [
      'a repository with programs for folders',
      'true',
      `mkdir n; ${HEAD}; touch n/objects n/refs; chmod 755 n/objects n/refs`,
      ['n'],
    ],
  ] as const)('lands without %s', async ([, prepare, script, wanted]) => {
    const { leftOut } = await gitBench(`${REPOSITORY}; ${prepare}`, script).read()
    expect(leftOut.map(({ path }) => path)).toEqual(wanted)
    expect(leftOut[0]?.why).toMatch(/git/)
  })

  it('is refused if files become programs that git takes for the folders of a repository', async () => {
    const prepare = `mkdir n; ${HEAD}; touch n/objects n/refs`
    await expect(gitBench(prepare, 'chmod 755 n/objects n/refs').read()).rejects.toThrow(/git repository/)
  })

  it('lands without what makes an existing folder a bare repository', async () => {
    const { leftOut, shown } = await benchWith(
      'mkdir objects; echo 1 >a',
      'mkdir refs; echo x >HEAD; echo 2 >a',
    ).read()
    expect(leftOut.map(({ path }) => path)).toEqual(['HEAD', 'refs'])
    expect(shown.map(({ path }) => path)).toEqual(['a'])
  })

  it.for([
    [
      'a folder named HEAD',
      'mkdir n/HEAD; echo 1 >n/HEAD/f',
      'rm -r n/HEAD; echo ref: refs/heads/x >n/HEAD',
      'HEAD',
    ],
    ['a link named HEAD', 'ln -s none n/HEAD', 'rm n/HEAD; echo ref: refs/heads/x >n/HEAD', 'HEAD'],
    ['a HEAD that is none', 'echo junk >n/HEAD', 'echo ref: refs/heads/x >n/HEAD', 'HEAD'],
    [
      'a file named objects',
      `${HEAD}; rm -r n/objects; echo >n/objects`,
      'rm n/objects; mkdir n/objects',
      'objects',
    ],
    ['a file named refs', `${HEAD}; rm -r n/refs; echo >n/refs`, 'rm n/refs; mkdir n/refs', 'refs'],
    [
      'a folder named commondir',
      `${HEAD}; rm -r n/refs; mkdir n/commondir`,
      'rmdir n/commondir; echo ../x >n/commondir',
      'commondir',
    ],
  ] as const)('is refused if %s would become what makes a repository', async ([, prepare, script, name]) => {
    const bench = gitBench(`mkdir -p n/objects/k n/refs/k; ${prepare}`, script)
    expect(await refusalOf(bench.read())).toContain(
      `n/${name} would have been changed, but it would be a new git repository`,
    )
  })

  it.for([
    ['objects', 'rm -r n/objects; ln -s store n/objects', 'mkdir n/store; echo 1 >n/store/k', 'n/store'],
    ['refs', 'rm -r n/refs; ln -s ../far/refs n/refs', 'mkdir -p far/refs', 'far'],
    [
      'objects, over another link',
      'rm -r n/objects; ln -s ../one n/objects; ln -s "$PWD/two" one',
      'mkdir two',
      'two',
    ],
    ['commondir', 'rm -r n/refs; ln -s ../where n/commondir', 'echo ../x >where', 'where'],
    [
      'what commondir names',
      'rm -r n/refs; mkdir -p c/refs; touch c/config; echo ../c >n/commondir',
      'mkdir c/objects',
      'c/objects',
    ],
  ] as const)(
    'lands without what a link in the place of %s leads to',
    async ([, prepare, script, wanted]) => {
      const bench = gitBench(`mkdir -p n/objects/k n/refs/k; ${HEAD}; ${prepare}`, `${script}; echo 2 >a`)
      const { leftOut, shown } = await bench.read()
      expect(leftOut.map(({ path }) => path)).toEqual([wanted])
      expect(leftOut[0]?.why).toContain('a new git repository')
      expect(shown.map(({ path }) => path)).toEqual(['a'])
    },
  )

  it.for([
    ['a link in the place of objects', 'ln -s ../none n/objects', 'ln -sfn ../full n/objects', 'n/objects'],
    ['a link further on', 'ln -s ../one n/objects; ln -s two one; ln -s one two', 'rm two; mkdir two', 'two'],
  ] as const)('is refused if %s would lead to what git looks for', async ([, prepare, script, wanted]) => {
    const bench = gitBench(`mkdir -p n/refs/k full/k; ${HEAD}; ${prepare}`, script)
    expect(await refusalOf(bench.read())).toContain(
      `${wanted} would have been changed, but it would be a new git repository`,
    )
  })

  it('lands in a repository that git takes for one', async () => {
    const bench = gitBench(`${GIT} init -q --bare n`, 'echo ref: refs/heads/other >n/HEAD; chmod 700 n/refs')
    const { changes, leftOut } = await bench.read()
    expect([changes.map(({ path }) => path), leftOut]).toEqual([['n/HEAD', 'n/refs'], []])
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

  const LINK = `printf '160000 %040d 0\\td/inner\\377\\0' 1 | git update-index -z --index-info`
  /** An index of one entry: a folder that a tree describes. */
  const SPARSE = `{ printf 'DIRC\\0\\0\\0\\2\\0\\0\\0\\1'; head -c 24 /dev/zero; printf '\\0\\0\\100\\0'; head -c 12 /dev/zero; printf %020d 1; printf '\\0\\2d/'; head -c 28 /dev/zero; } >.git/index`
  it.each([
    ['by a name that is no text', `${GIT} init -q "$(printf 'd/inner\\377')"`, LINK, 'd/inner\uFFFD'],
    ['by a tree', `${GIT} init -q d/inner`, SPARSE, 'd/inner'],
  ])('is refused if an index would name such a repository %s', async (_, make, script, name) => {
    const refused = await refusalOf(gitBench(`${REPOSITORY}; mkdir d; ${make}`, script).read())
    expect(refused).toContain('.git/index would have been changed, but it would name')
    expect(refused).toContain(name)
  })

  it('is refused if one takes the place of a file in a split index, also if others did before', async () => {
    const take = (name: string): string =>
      `git update-index --add --cacheinfo 160000,$(printf %040d 1),${name}`
    const files = 'mkdir d; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i >d/$i; done; git add d'
    const split = `${REPOSITORY}; ${files}; ${GIT} commit -qm d; git update-index --split-index; ${take('d/1')}; rm d/2; ${GIT} init -q d/2`
    expect(await refusalOf(gitBench(split, take('d/2')).read())).toContain('it would name d/2')
  })

  it.each([LINK, SPARSE])('lands an index that names none that is there: %s', async (script) => {
    const { changes } = await gitBench(`${REPOSITORY}; mkdir -p d/inner`, script).read()
    expect(changes.map(({ path }) => path)).toContain('.git/index')
  })

  it('lands as a whole if it commits in a submodule and in a linked work tree below the root', async () => {
    const bench = gitBench(
      NESTED,
      `cd libs/one; ${COMMIT}; cd ../../side; ${COMMIT}; git checkout -qb third; cd ..; ${GIT} commit -qam top`,
    )
    const { changes, leftOut } = await bench.read()
    const paths = changes.map(({ path }) => path)
    expect(leftOut).toEqual([])
    expect(paths).toEqual(
      expect.arrayContaining([
        'libs/one/l',
        'side/l',
        '.git/index',
        '.git/refs/heads/side',
        ...['HEAD', 'index', 'logs/HEAD'].map((name) => `.git/worktrees/side/${name}`),
        ...['index', 'logs/HEAD', 'refs/heads/main'].map((name) => `.git/modules/libs/one/${name}`),
      ]),
    )
    const objects = paths.filter((path) => path.startsWith('.git/modules/libs/one/objects/'))
    expect(objects.length).toBeGreaterThan(2)
  })

  it.for(
    someOf(
      [
        [
          'the settings of a submodule',
          'git -C libs/one config core.fsmonitor ./x',
          '.git/modules/libs/one/config',
        ],
        ['a hook of a submodule', 'echo y >>.git/modules/libs/one/hooks/h', '.git/modules/libs/one/hooks/h'],
        ['where a linked work tree is', 'echo /x >.git/worktrees/side/gitdir', '.git/worktrees/side/gitdir'],
        [
          'what a work tree is linked to',
          'echo /x >.git/worktrees/side/commondir',
          '.git/worktrees/side/commondir',
        ],
        ['a submodule as a whole', 'rm -rf .git/modules/libs/one', '.git/modules/libs/one/'],
        ['the way to a submodule', 'mv .git/modules/libs .git/modules/x', '.git/modules/libs/'],
        ['a file that its settings include', 'echo y >>.git/extra', '.git/extra'],
        [
          'hooks in git’s folder that its settings name',
          'echo y >>.git/mine/pre-commit',
          '.git/mine/pre-commit',
        ],
        [
          'a file that a submodule includes',
          'echo y >>.git/modules/libs/one/more',
          '.git/modules/libs/one/more',
        ],
        [
          'a repository that the index of a submodule names',
          'cd libs/one && git add inner',
          '.git/modules/libs/one/index',
        ],
        [
          'a repository that the index of a work tree names',
          'cd side && git add inner',
          '.git/worktrees/side/index',
        ],
      ] as const,
      4,
    ),
  )('is refused below the root if it would change %s', async ([, script, wanted]) => {
    const named =
      'git config include.path extra; touch .git/extra; git config core.hooksPath .git/mine; mkdir .git/mine; touch .git/mine/pre-commit'
    const inner = `for at in libs/one side; do mkdir $at/inner; (cd $at/inner; ${REPOSITORY}); done`
    const more =
      'touch .git/modules/libs/one/more .git/modules/libs/one/hooks/h; git -C libs/one config include.path more'
    const refusal = await refusalOf(gitBench(`${NESTED}; ${inner}; ${named}; ${more}`, script).read())
    expect(refusal).toMatch(/^denied_pattern: Nothing was landed: /)
    expect(refusal).toContain(wanted)
  })

  it.for([
    [
      'submodule',
      'mkdir .git/modules/two; cp -r .git/modules/libs/one/. .git/modules/two',
      '.git/modules/two',
    ],
    ['linked work tree', 'cp -r .git/worktrees/side .git/worktrees/two', '.git/worktrees/two'],
    [
      'part of a submodule that decides',
      'cp -r .git/modules/libs .git/modules/libs/one/modules',
      '.git/modules/libs/one/modules',
    ],
    [
      'file that a submodule would include',
      'echo y >.git/modules/libs/one/config.worktree',
      '.git/modules/libs/one/config.worktree',
    ],
  ] as const)('lands without a new %s', async ([, script, wanted]) => {
    const { leftOut } = await gitBench(NESTED, script).read()
    expect(leftOut.map(({ path }) => path)).toEqual([wanted])
  })

  it('lands links, unless one would replace a folder above what git runs', async () => {
    const prepare = `${REPOSITORY}; git config core.hooksPath tools/hooks`
    const { leftOut } = await gitBench(prepare, 'mkdir -p evil/hooks; ln -s evil tools').read()
    expect(leftOut.map(({ path }) => path)).toEqual(['tools'])
  })
})
