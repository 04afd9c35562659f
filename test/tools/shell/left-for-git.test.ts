import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agreeOnce } from '../../../src/core/approval.ts'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { ASK_BEFORE, bench, errorOf, outputOf } from '../../bench-folder.ts'
import { git, makeRepository } from '../../host/confine/git-attacks.ts'
import { someOf } from '../../harness/long-run.ts'

function makeWork(config: RuntimeOptions['config'] = {}) {
  const made = bench()
  const repository = makeRepository(join(made.top, 'work'))
  const asked: ApprovalRequest[] = []
  const run = (line: string, name = 'run_shell') =>
    made.call(name, name === 'run_shell' ? { cmd: ['sh', '-c', line] } : { command: line }, {
      root: repository,
      config: { 'tools.run_command.enabled': true, ...config },
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'once' as const)
      },
    })
  return { repository, asked, run, gitFolder: join(repository, '.git') }
}

describe('what a command leaves for git', () => {
  it('names an interrupted rebase and the lines that it would run, and asks about later commands with them', async () => {
    const { repository, asked, run } = makeWork(ASK_BEFORE)
    const line =
      'mkdir .git/rebase-merge; printf "pick 1234\\nexec touch /tmp/x\\n x make evil\\n" >.git/rebase-merge/git-rebase-todo'
    const left = '.git/rebase-merge'
    const does = 'git rebase --continue carries out what is left in it, and runs "touch /tmp/x", "make evil".'
    const result = await run(line)
    expect(outputOf(result)).toMatchObject({
      exit_code: 0,
      left_for_git: [`The command left ${left}: ${does}`],
    })
    // A model is told no absolute path that is not its own.
    expect(result.content).not.toContain(repository)
    expect(outputOf(await run('true'))).not.toHaveProperty('left_for_git')
    expect(asked.map(({ note }) => note)).toEqual([undefined, `${left} is there: ${does}`])
  })

  it('hides no line behind an odd character or in a list that is too large to be read', async () => {
    const { asked, run } = makeWork(ASK_BEFORE)
    await run(
      'mkdir .git/rebase-merge; printf "exec \\342\\200\\250; one\nexec :\\r; two\nexec \\302\\205; three\n" >.git/rebase-merge/git-rebase-todo',
    )
    await run(
      '(yes "# ################" | head -c 1100000; echo; echo exec evil) >.git/rebase-merge/git-rebase-todo',
    )
    await run('true')
    for (const word of ['; one', '; two', '; three']) expect(asked[1]?.note).toContain(word)
    expect(asked[2]?.note).toContain('runs "(unknown: the list is too large')
  })

  it('says so in the question whether it may land, as it shows on the layer', async () => {
    const { asked, run } = makeWork()
    const todo = '.git/rebase-merge/git-rebase-todo'
    await run(`mkdir .git/rebase-merge; echo exec one >${todo}`)
    await run(`rm -r .git/rebase-merge; mkdir .git/rebase-merge kept; echo exec two >kept/git-rebase-todo`)
    await run('rmdir .git/rebase-merge; mv kept .git/rebase-merge')
    const says = (what: string) => `The command left .git/rebase-merge: git rebase --continue${what}`
    expect(asked.map(({ note }) => note)).toEqual([
      expect.stringContaining(says(' carries out what is left in it, and runs "one".')),
      expect.stringContaining(says(' carries out what is left in it.')),
      expect.stringContaining(says(' carries out what is left in it, and runs "two".')),
    ])
  })

  it('says so to a model that only gets text', async () => {
    const { run } = makeWork()
    const fine = await run('mkdir .git/sequencer; echo pick 1 >.git/sequencer/todo', 'run_command')
    const says =
      'The command left .git/sequencer: git cherry-pick --continue or git revert --continue carries out'
    expect(fine.content).toContain(`[git]\n${says}`)
  })

  it('says nothing about a command that failed, of which nothing is left', async () => {
    const { run, gitFolder } = makeWork()
    const failed = errorOf(await run('mkdir .git/sequencer; exit 3', 'run_command'))
    expect(failed.message).not.toContain('The command left')
    expect(failed.details).toMatchObject({ effects: 'discarded' })
    expect(failed.details).not.toHaveProperty('left_for_git')
    expect(existsSync(join(gitFolder, 'sequencer'))).toBe(false)
  })

  it('says so without a layer, whether the command failed or not', async () => {
    const { run } = makeWork({ 'tools.shell.layer': 'off' })
    const fine = await run('mkdir .git/sequencer; echo pick 1 >.git/sequencer/todo', 'run_command')
    const says =
      'The command left .git/sequencer: git cherry-pick --continue or git revert --continue carries out'
    expect(fine.content).toContain(`[git]\n${says}`)
    const failed = errorOf(await run('echo pick 2 >.git/sequencer/todo; exit 3', 'run_command'))
    expect(failed.message).toContain(says)
    expect(failed.details).toMatchObject({ left_for_git: [expect.stringContaining(says) as string] })
  })

  it.for(
    someOf(
      [
        ['a real rebase that stops', 'git rebase -q --exec "exit 1" --root; true', 'rebase-merge'],
        ['patches to apply', 'mkdir .git/rebase-apply; echo 1 >.git/rebase-apply/next', 'rebase-apply'],
        ['attributes', 'mkdir -p .git/info; echo "* filter=x" >.git/info/attributes', 'info/attributes'],
        ['grafts', 'mkdir -p .git/info; git rev-parse HEAD >.git/info/grafts', 'info/grafts'],
        ['a merge', 'git rev-parse HEAD >.git/MERGE_HEAD', 'MERGE_HEAD'],
        ['a cherry-pick of one', 'git rev-parse HEAD >.git/CHERRY_PICK_HEAD', 'CHERRY_PICK_HEAD'],
        ['a revert of one', 'git rev-parse HEAD >.git/REVERT_HEAD', 'REVERT_HEAD'],
        ['a bisect', 'git bisect start', 'BISECT_START'],
        [
          'a resolution',
          'mkdir -p .git/rr-cache/1; echo x | tee .git/rr-cache/1/preimage >.git/rr-cache/1/postimage',
          'rr-cache/1',
        ],
        ['resolutions behind a link', 'mkdir x; ln -s ../x .git/rr-cache', 'rr-cache'],
        ['a link', 'mkdir x; ln -s ../x .git/rebase-merge', 'rebase-merge'],
        ['a pipe', 'mkdir .git/rebase-merge; mkfifo .git/rebase-merge/git-rebase-todo', 'rebase-merge'],
      ] as const,
      2,
    ),
  )('names %s', async ([, line = '', name]) => {
    const { run } = makeWork()
    const { left_for_git: left } = outputOf(await run(line)) as { left_for_git?: readonly string[] }
    expect(left).toEqual([expect.stringContaining(`The command left .git/${name}: `)])
  })

  it('names a commit that git reads in the place of another one, also if it is packed', async () => {
    const { repository, run } = makeWork()
    const replace = 'git replace HEAD $(git commit-tree -m other HEAD^{tree})'
    const identity = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a'
    const left = (result: Awaited<ReturnType<typeof run>>) =>
      (outputOf(result) as { left_for_git?: readonly string[] }).left_for_git
    const replaced = [expect.stringContaining('The command left .git/refs/replace/')]
    expect(left(await run(`${identity}; ${replace}`))).toEqual(replaced)
    expect(left(await run('git pack-refs --all'))).toBeUndefined()
    git(repository, 'replace', '-d', git(repository, 'replace').trim())
    expect(left(await run(`${identity}; ${replace}; git pack-refs --all`))).toEqual(replaced)
  })

  it('names nothing twice, and no resolution that was there', async () => {
    const { repository, run } = makeWork()
    mkdirSync(join(repository, '.git/rr-cache/1'), { recursive: true })
    writeFileSync(join(repository, '.git/rr-cache/1/postimage'), 'x')
    expect(
      outputOf(await run('mkdir -p .git/rr-cache/2; echo x >.git/rr-cache/2/preimage')),
    ).not.toHaveProperty('left_for_git')
    const line =
      'mkdir .git/sequencer; echo pick 1 >.git/sequencer/todo; git rev-parse HEAD >.git/CHERRY_PICK_HEAD'
    const { left_for_git: left } = outputOf(await run(line)) as { left_for_git?: readonly string[] }
    expect(left).toHaveLength(1)
  })

  it.for(
    someOf(
      [
        [
          'a denied file',
          'auto',
          'mkdir .git/rebase-merge; ln -s ../../.env .git/rebase-merge/git-rebase-todo',
        ],
        [
          'a denied file',
          'off',
          'mkdir .git/rebase-merge; ln -s ../../.env .git/rebase-merge/git-rebase-todo',
        ],
        ['a folder outside', 'auto', 'ln -s $OUT .git/rebase-merge'],
        ['names outside', 'auto', 'ln -s $OUT .git/remotes; rm -rf .git/info; ln -s $OUT .git/info'],
        ['names outside', 'off', 'ln -s $OUT .git/remotes; rm -rf .git/info; ln -s $OUT .git/info'],
        ['names further down', 'auto', 'mkdir .git/remotes; ln -s $OUT .git/remotes/x'],
        ['another git folder', 'auto', 'mv .git g; ln -s $OUT .git'],
      ] as const,
      3,
    ),
  )('shows nothing of what a link leads to: %s (layer %s)', async ([, layer, line]) => {
    const { repository, run } = makeWork({ 'tools.shell.layer': layer })
    const outside = join(repository, '../outside')
    for (const folder of [outside, join(outside, 'remotes'), join(outside, 'rebase-merge')]) {
      mkdirSync(folder)
      for (const name of ['git-rebase-todo', 'SECRET-name'])
        writeFileSync(join(folder, name), 'exec SECRET-line\n')
    }
    writeFileSync(join(repository, '.env'), 'exec SECRET-line\n')
    expect(JSON.stringify(await run(line.replaceAll('$OUT', outside)))).not.toContain('SECRET')
  })

  it('names a new submodule, which stays in no place where git would look', async () => {
    const line = 'mkdir -p .git/modules; git init -q --bare .git/modules/x'
    const without = makeWork({ 'tools.shell.layer': 'off' })
    const aside = `${without.gitFolder}/modules.refused`
    const stopped = await without.run(line)
    expect(outputOf(stopped)).toMatchObject({
      wanted: expect.stringContaining(
        'created .git/modules. What it created was moved to .git/modules.refused.',
      ) as string,
    })
    expect(stopped.content).not.toContain(without.repository)
    expect(existsSync(join(without.gitFolder, 'modules'))).toBe(false)
    expect(existsSync(join(aside, 'x'))).toBe(true)
    const { run, gitFolder } = makeWork()
    const result = outputOf(await run(line))
    expect(result).not.toHaveProperty('left_for_git')
    expect(JSON.stringify(result['left_out'])).toContain('.git/modules')
    expect(existsSync(join(gitFolder, 'modules/x'))).toBe(false)
  })

  it('names a submodule of a linked work tree', async () => {
    const made = bench()
    const main = makeRepository(join(made.top, 'work'))
    const linked = join(made.top, 'linked')
    git(main, 'worktree', 'add', '-q', linked)
    const modules = `${main}/.git/worktrees/linked/modules`
    const result = await made.call(
      'run_shell',
      { cmd: ['git', 'init', '-q', '--bare', `${modules}/x`], write: [join(main, '.git')] },
      { root: linked, approve: agreeOnce },
    )
    expect(outputOf(result)).toMatchObject({
      exit_code: 0,
      left_for_git: [expect.stringContaining(`The command left ${modules}/x: `) as string],
    })
  })

  it('names attributes that are too large to be read, once for all work trees, and whenever they change', async () => {
    const { repository, run } = makeWork()
    git(repository, 'worktree', 'add', '-q', 'linked')
    const says = [expect.stringContaining('The command left .git/info/attributes: ') as string]
    const large = `{ echo "* diff=x"; yes "#" | head -c 1100000; }`
    const leave = `mkdir -p .git/info; ${large} >.git/info/attributes`
    expect(outputOf(await run(leave))).toMatchObject({ left_for_git: says })
    expect(outputOf(await run('true'))).not.toHaveProperty('left_for_git')
    expect(outputOf(await run('sed -i s/=x/=y/ .git/info/attributes'))).toMatchObject({ left_for_git: says })
  })

  it('says nothing about ordinary work, or about what was there before', async () => {
    const { repository, run, gitFolder } = makeWork()
    mkdirSync(join(gitFolder, 'rebase-merge'))
    writeFileSync(join(gitFolder, 'rebase-merge/git-rebase-todo'), 'exec make\n')
    const line = 'echo x >x; git add x; git commit -qm x; git branch side; git merge side; git stash list'
    expect(outputOf(await run(line))).not.toHaveProperty('left_for_git')
    expect(git(repository, 'log', '-1', '--format=%s').trim()).toBe('x')
  })
})
