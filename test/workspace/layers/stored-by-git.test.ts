import { describe, expect, it } from 'vitest'
import { benchWith } from './bench-with.ts'

const GIT = 'git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main'
const REPOSITORY = `${GIT} init -q; echo 1 >a; git add a; ${GIT} commit -qm one`
const COMMIT = `echo 2 >a; ${GIT} commit -qam two`
const SUBMODULE = `${GIT} init -q lib; cd lib; ${REPOSITORY}; cd ..; ${REPOSITORY}; echo lib >.git/info/exclude; ${GIT} -c protocol.file.allow=always submodule --quiet add ./lib libs/one; ${GIT} commit -qam sub`
const WORK_TREE = `${REPOSITORY}; git worktree add -q side -b side; echo gitdir: ../.git/worktrees/side >side/.git`
const BARE = `mkdir in; cd in; ${REPOSITORY}; cd ..; git clone -q --bare in bare.git; rm -rf in`
const STORE =
  'GIT_DIR=bare.git git update-ref refs/heads/new $(echo 2 | GIT_DIR=bare.git git hash-object -w --stdin)'
const HOME = 'export HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1'

/** The line that each hunk begins with, and which names are among what git stored. */
async function hunksOf(prepare: string, script: string) {
  const { diff, hunks, changes } = await benchWith(`${HOME}; ${prepare}`, `${HOME}; ${script}`).read()
  const lines = diff.split('\n')
  const begins = hunks?.lines.map((line) => lines[line])
  const stored = hunks?.changes.flatMap(({ path, git }) => (git === undefined ? [] : [path]))
  return { begins, stored, changes: changes.map(({ path }) => path), together: hunks?.together }
}

describe('what git stores is one hunk', () => {
  it.for([
    ['of a commit, beside the file that it is about', REPOSITORY, COMMIT, '.git'],
    ['of a repository in a folder', `mkdir d; cd d; ${REPOSITORY}`, `cd d; ${COMMIT}`, 'd/.git'],
    [
      'of a submodule and the repository that has it',
      SUBMODULE,
      `cd libs/one; ${COMMIT}; cd ../..; git add libs`,
      '.git',
    ],
    ['of a work tree and its repository', WORK_TREE, `cd side; ${COMMIT}; cd ..; git branch third`, '.git'],
    ['of a repository without a work tree', BARE, `${STORE}; echo 1 >a`, 'bare.git'],
  ] as const)('%s', async ([, prepare, script, folder]) => {
    const { begins, stored, changes, together } = await hunksOf(prepare, script)
    expect(begins?.filter((line) => line?.startsWith('Stored by git'))).toEqual([
      `Stored by git in ${folder}:`,
    ])
    expect(begins).toHaveLength(2)
    expect(stored).toEqual(changes.filter((path) => path.startsWith(`${folder}/`)))
    expect(stored?.length).toBeGreaterThan(1)
    expect(together).toEqual([])
  })

  it('for each repository, and not with what has only the names of its folders', async () => {
    const two = `mkdir d e; (cd d; ${REPOSITORY}); (cd e; ${REPOSITORY}); mkdir -p objects/ab modules`
    const script = `(cd d; ${GIT} tag x); (cd e; ${GIT} tag x); echo 1 >objects/ab/c; echo 1 >modules/d`
    const { begins } = await hunksOf(two, script)
    expect(begins?.map((line) => line?.replace(/^@@.*/, '@@'))).toEqual([
      'Stored by git in d/.git:',
      'Stored by git in e/.git:',
      '@@',
      '@@',
    ])
  })

  it('and what is in a work tree inside of a repository is not among it', async () => {
    const { begins, stored } = await hunksOf(
      `${BARE}; mkdir bare.git/tree`,
      `${STORE}; echo 1 >bare.git/tree/a; echo 1 >bare.git/tree/b`,
    )
    expect(begins).toHaveLength(3)
    expect(stored?.filter((path) => path.includes('tree/'))).toEqual([])
  })

  it('that what was moved into or out of it belongs to', async () => {
    const { together } = await hunksOf(
      `${REPOSITORY}; echo in >in; echo out >.git/out`,
      `git tag x; mv in .git/in; mv .git/out out; echo 3 >other`,
    )
    expect(together).toEqual([[1, 3]])
  })
})
