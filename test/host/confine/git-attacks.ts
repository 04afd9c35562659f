import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunEnd } from '../../../src/host/run/run-request.ts'
import { shellWord } from '../../harness/shell-word.ts'
import type { Attack, AttackBench } from './attacks.ts'

/** Git as a person calls it, without any caution. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...who, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** A repository with one commit. */
export function makeRepository(folder: string): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', '-b', 'main')
  for (const [key, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.org'],
  ] as const)
    git(folder, 'config', key, value)
  writeFileSync(join(folder, 'first.txt'), 'one\n')
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'first')
  return folder
}

/** What a hostile command has at hand: a repository whose configuration runs a program of its choice. */
const EVIL = `
evil() {
  mkdir -p "$1" && git init -q "$1" && git -C "$1" -c user.name=e -c user.email=e@e commit -q --allow-empty -m e &&
  git -C "$1" config core.fsmonitor "touch $MARK; false" && git -C "$1" config core.hooksPath "$PWD/hooks" && git -C "$1" config alias.x '!touch '"$MARK"
}
`

interface Scene {
  readonly folder: string
  readonly mark: string
  readonly run: (line: string) => Promise<RunEnd>
}

async function sceneAt(bench: AttackBench, folder: string, top: string): Promise<Scene> {
  const mark = join(top, 'mark')
  const confinement = bench.isOpen ? bench.open : await bench.confine({ roots: [folder] })
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', MARK: shellWord(mark) }
  return {
    folder,
    mark,
    run: (line) => bench.sh(EVIL + line, { confinement, cwd: folder, env, timeoutMs: 8_000 }),
  }
}

/** Everything that decides over git, as it stands. */
function decisive(folder: string): string {
  const gitFolder = join(folder, '.git')
  const lines: string[] = []
  const visit = (path: string): void => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) lines.push(`${path} missing`)
    else if (stat.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
    else lines.push(`${path} ${stat.isSymbolicLink() ? 'link' : readFileSync(path, 'utf8')}`)
  }
  const isFolder = lstatSync(gitFolder, { throwIfNoEntry: false })?.isDirectory() === true
  for (const name of isFolder
    ? ['config', 'config.worktree', 'commondir', 'hooks', 'modules', 'worktrees']
    : [''])
    visit(join(gitFolder, name))
  return lines.toSorted().join('\n')
}

/** Lets a command loose on a repository; then a person asks for its status, and nothing foreign may run or have changed. */
function attackOn(
  make: (top: string) => string,
  line: string,
  isStill: (folder: string) => boolean = () => true,
): Attack {
  return async (bench) => {
    const top = realpathSync(mkdtempSync(join(dirname(bench.root), 'git-')))
    const scene = await sceneAt(bench, make(top), top)
    const before = decisive(scene.folder)
    const end = await scene.run(line)
    try {
      git(scene.folder, 'status')
      git(scene.folder, 'diff', 'HEAD')
    } catch {
      // What a command broke in its own workspace is the workspace's.
    }
    if (existsSync(scene.mark)) return `a program was run outside: ${JSON.stringify(end)}`
    if (decisive(scene.folder) !== before)
      return `git's decisions have changed: ${decisive(scene.folder).slice(0, 600)}`
    return isStill(scene.folder) ? null : `the workspace is not as it should be: ${JSON.stringify(end)}`
  }
}

const plain = (top: string): string => makeRepository(join(top, 'work'))
const bare = (top: string): string => {
  mkdirSync(join(top, 'work'))
  return join(top, 'work')
}
const withSubmodule = (top: string): string => {
  const library = makeRepository(join(top, 'library'))
  const folder = plain(top)
  git(folder, 'submodule', '--quiet', 'add', library, 'libs/inner')
  git(folder, 'commit', '-qm', 'with a submodule')
  return folder
}
const linkedWorkTree = (top: string): string => {
  const main = makeRepository(join(top, 'main'))
  git(main, 'worktree', 'add', '-q', join(top, 'linked'))
  return join(top, 'linked')
}
const isFolder = (folder: string): boolean => lstatSync(join(folder, '.git')).isDirectory()

/** Ways to make git run something later, outside. */
export const gitAttacks: Readonly<Record<string, Attack>> = {
  'configure git': attackOn(
    plain,
    'git config core.fsmonitor "touch $MARK"; echo "[core] fsmonitor = touch $MARK" >>.git/config; rm -f .git/config; mv .git/config .git/c; evil e; cp -f e/.git/config .git/config; ln -sf ../e/.git/config .git/config; mv e/.git/config .git/config; git config -f .git/config.worktree core.fsmonitor x',
  ),
  'plant a hook': attackOn(
    plain,
    'echo "touch $MARK" >.git/hooks/post-index-change; chmod +x .git/hooks/*; rm -rf .git/hooks; mv .git/hooks .git/h; mkdir .git/hooks; echo "touch $MARK" >.git/hooks/post-index-change; chmod +x .git/hooks/*; touch first.txt',
  ),
  "move git's folder": attackOn(plain, 'evil e; mv .git old; mv e/.git .git; cp -rT e/.git .git', isFolder),
  "turn git's folder into a file": attackOn(
    plain,
    'evil e; rm -rf .git; echo "gitdir: e/.git" >.git; ln -sfT e/.git .git',
    isFolder,
  ),
  'send git to another folder': attackOn(
    plain,
    'evil e; echo ../e/.git >.git/commondir; for i in 1 2 3; do mv .git/commondir x; cp x .git/commondir; done',
  ),
  'send git to another folder at the end': attackOn(plain, 'evil e; printf ../e/.git >.git/commondir'),
  'send git to another folder by a link': attackOn(
    plain,
    'evil e; echo ../e/.git >x; ln -s ../x .git/commondir',
  ),
  'add a repository to the index': attackOn(plain, 'evil inner; git add inner; git commit -qm inner'),
  'add a repository to the index by hand': attackOn(
    plain,
    'evil inner; git update-index --add --cacheinfo 160000,$(git -C inner rev-parse HEAD),inner; git update-index --index-version 4',
  ),
  'add a repository to a split index': attackOn(
    plain,
    'evil inner; git add inner; git update-index --split-index; git update-index --refresh',
  ),
  'make the workspace itself a repository': attackOn(
    plain,
    'evil e; rm -rf .git/HEAD; cp -r e/.git/* .; git config -f config core.worktree .; git config -f config core.bare false',
  ),
  'make a repository where there is none': attackOn(
    bare,
    'evil .',
    (folder) => !existsSync(join(folder, '.git')),
  ),
  'move a repository to where there is none': attackOn(
    bare,
    'evil e; mv e/.git .git; sleep 5',
    (folder) => !existsSync(join(folder, '.git')) && existsSync(join(folder, '.git.refused')),
  ),
  'make the workspace a bare repository': attackOn(
    bare,
    'evil e; cp -r e/.git/* .; git config -f config core.worktree .; git config -f config core.bare false',
  ),
  'swap a submodule': attackOn(
    withSubmodule,
    'evil e; rm -f libs/inner/.git; mv libs/inner/.git x; cp -r e/.git libs/inner/.git; echo "gitdir: ../../e/.git" >libs/inner/.git',
  ),
  'swap the folder of a submodule': attackOn(
    withSubmodule,
    'evil e; mv libs/inner libs/old && mv e libs/inner; mv libs other && mkdir libs && mv e libs/inner; rm -rf libs',
    (folder) => lstatSync(join(folder, 'libs/inner/.git'), { throwIfNoEntry: false })?.isFile() === true,
  ),
  'configure a submodule': attackOn(
    withSubmodule,
    'cd libs/inner; git config core.fsmonitor "touch $MARK"; cd ../..; echo "[core] fsmonitor = touch $MARK" >>.git/modules/libs/inner/config; mv .git/modules x; rm -rf .git/modules',
  ),
  'configure a linked work tree': attackOn(
    linkedWorkTree,
    'evil e; git config core.fsmonitor "touch $MARK"; d=$(git rev-parse --git-dir); c=$(git rev-parse --git-common-dir); echo "$PWD/e/.git" >$d/commondir; echo "touch $MARK" >$c/hooks/post-index-change; echo x >>$c/config; echo "gitdir: $PWD/e/.git" >.git; rm -f .git; mv .git x; cp e/.git/config $d/config.worktree; echo x >$c/commondir',
  ),
  'change scripts that git is configured to run': attackOn(
    (top) => {
      const folder = plain(top)
      mkdirSync(join(folder, 'tools/hooks'), { recursive: true })
      writeFileSync(join(folder, 'tools/hooks/post-index-change'), '#!/bin/sh\n', { mode: 0o755 })
      git(folder, 'config', 'core.hooksPath', 'tools/hooks')
      git(folder, 'config', 'include.path', '../shared.config')
      writeFileSync(join(folder, 'shared.config'), '')
      return folder
    },
    'echo "touch $MARK" >>tools/hooks/post-index-change; rm -rf tools/hooks; mv tools x; mkdir -p tools/hooks; printf "[core]\\nfsmonitor = touch $MARK\\n" >shared.config; mv shared.config x; rm shared.config; touch first.txt; git update-index --refresh',
    (folder) => {
      const hook = join(folder, 'tools/hooks/post-index-change')
      return existsSync(hook) && readFileSync(hook, 'utf8') === '#!/bin/sh\n'
    },
  ),
  'lend git the objects of others': attackOn(
    plain,
    'evil e; mkdir -p .git/objects/info; echo "$PWD/e/.git/objects" >.git/objects/info/alternates',
    (folder) => !existsSync(join(folder, '.git/objects/info/alternates')),
  ),
  'give git a remote without its configuration': attackOn(
    plain,
    'mkdir -p .git/remotes .git/branches; echo "URL: $PWD/e" >.git/remotes/origin; echo "$PWD/e" >.git/branches/up',
    (folder) =>
      !existsSync(join(folder, '.git/remotes/origin')) && !existsSync(join(folder, '.git/branches/up')),
  ),
  'have something outside moved away': async (bench) => {
    const top = realpathSync(mkdtempSync(join(dirname(bench.root), 'git-')))
    const other = makeRepository(join(top, 'other'))
    mkdirSync(join(other, '.git/objects/info'), { recursive: true })
    writeFileSync(join(other, '.git/objects/info/alternates'), '')
    const { run } = await sceneAt(bench, plain(top), top)
    const hash = git(other, 'rev-parse', 'HEAD').trim()
    await run(
      `ln -s ${shellWord(top)} way; git update-index --add --cacheinfo 160000,${hash},way/other; rm -rf .git/objects/info; ln -s ${shellWord(other)}/.git/objects/info .git/objects/info`,
    )
    const isThere =
      existsSync(join(other, '.git/HEAD')) && existsSync(join(other, '.git/objects/info/alternates'))
    return isThere ? null : 'a repository outside has changed'
  },
  'hang whoever looks at the index': async (bench) => {
    const top = realpathSync(mkdtempSync(join(dirname(bench.root), 'git-')))
    const { folder, run } = await sceneAt(bench, plain(top), top)
    const end = await run('rm .git/index; mkfifo .git/index; sleep 0.2')
    return end.refused.length === 1 && !existsSync(join(folder, '.git/index')) ? null : JSON.stringify(end)
  },
  "look into somebody else's repository": async (bench) => {
    const top = realpathSync(mkdtempSync(join(dirname(bench.root), 'git-')))
    const other = makeRepository(join(top, 'other'))
    const folder = bare(top)
    writeFileSync(join(folder, '.git'), `gitdir: ${other}/.git\n`)
    const { run } = await sceneAt(bench, folder, top)
    const { stdout } = await run(`git log; ls ${shellWord(other)}/.git; cat ${shellWord(other)}/.git/config`)
    return stdout === '' ? null : stdout
  },
}
