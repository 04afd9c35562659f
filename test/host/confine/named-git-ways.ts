import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { git, makeRepository } from './git-attacks.ts'

/** A repository whose configuration names something in the workspace. */
export interface NamedWay {
  /** The workspace; by default the repository itself. */
  readonly root?: string
  /** Where the file lies that git would run, relative to the workspace. */
  readonly file: string
  /** Prepares the repository; the user's home is beside it. */
  readonly make: (folder: string, home: string) => void
  /** What the person does later, in the repository; by default they ask for its status. */
  readonly later?: readonly string[]
  /** What the file says; by default it is a hook. */
  readonly script?: string
  /** What the command does before it plants the file. */
  readonly before?: string
}

const HOOK = 'post-index-change'
const configure = (text: string) => (folder: string) => appendFileSync(join(folder, '.git/config'), text)
const globally =
  (text: string, file = '.gitconfig') =>
  (_: string, home: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), text)
  }
const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const tracked = (folder: string, attributes: string): void => {
  put(join(folder, '.gitattributes'), attributes)
  put(join(folder, 'a.x'), 'one\n')
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'x')
  put(join(folder, 'a.x'), 'two\n')
}

/** Ways in which git's configuration can name a file that it runs. */
export const namedGitWays: Readonly<Record<string, NamedWay>> = {
  'a comment behind it': { file: `tools/${HOOK}`, make: configure('[core]\n\thooksPath = tools # ours\n') },
  'a semicolon behind it': { file: `tools/${HOOK}`, make: configure('[core]\n\thooksPath=tools;ours\n') },
  'one line with its section': { file: `tools/${HOOK}`, make: configure('[core] hooksPath = tools\n') },
  'a continued line': { file: `tools/${HOOK}`, make: configure('[core]\n\thooksPath = to\\\nols\n') },
  'quotes in the middle': { file: `tools/${HOOK}`, make: configure('[core]\n\thooksPath = to"ol"s\n') },
  'quotes and a comment': { file: `to ols/${HOOK}`, make: configure('[CORE]\n\tHooksPath = "to ols" ; x\n') },
  'an escape in quotes': { file: `to"ols/${HOOK}`, make: configure('[core]\n\thooksPath = "to\\"ols"\n') },
  'a folder whose parent is missing': { file: `a/b/${HOOK}`, make: configure('[core]\n\thooksPath = a/b\n') },
  'dots on the way': { file: `tools/${HOOK}`, make: configure('[core]\n\thooksPath = ./x/../tools/\n') },
  "a folder in git's own": { file: `.git/tools/${HOOK}`, make: configure('[core] hooksPath = .git/tools\n') },
  'the workspace itself': { file: HOOK, make: configure('[core] hooksPath = .\n') },
  'an included file': {
    file: `tools/${HOOK}`,
    make: (folder) => {
      configure('[include] path = other.config # x\n')(folder)
      put(join(folder, '.git/other.config'), '[core] hooksPath = tools')
    },
  },
  'an included file in the workspace': {
    file: 'shared/git.config',
    make: configure('[include] path = ../shared/git.config # x\n'),
    script: '[core]\n\tfsmonitor = "touch MARK; false"\n',
  },
  'a file for another branch': {
    file: `tools/${HOOK}`,
    make: (folder) => {
      configure('[includeIf "onbranch:evil"] path = other.config\n')(folder)
      put(join(folder, '.git/other.config'), '[core] hooksPath = tools')
    },
    before: 'git checkout -qb evil;',
  },
  'the configuration of a work tree': {
    file: `tools/${HOOK}`,
    make: (folder) => {
      configure('[extensions] worktreeConfig = true\n')(folder)
      put(join(folder, '.git/config.worktree'), '[core] hooksPath = tools')
    },
  },
  "the user's file": { file: `tools/${HOOK}`, make: globally('[core] hooksPath = tools ; x\n') },
  "the user's other file": {
    file: `tools/${HOOK}`,
    make: globally('[core] hooksPath = tools\n', '.config/git/config'),
  },
  "a file that the user's file includes": {
    file: `tools/${HOOK}`,
    make: (folder, home) => {
      globally(`[includeIf "gitdir:${folder}/"] path = ~/work.config\n`)(folder, home)
      put(join(home, 'work.config'), '[core] hooksPath = tools\n')
    },
  },
  'a path from home': {
    file: `tools/${HOOK}`,
    make: globally('[core] hooksPath = ~/../work/tools\n'),
  },
  "a path from git's prefix": {
    file: `tools/${HOOK}`,
    make: (folder) => configure(`[core] hooksPath = %(prefix)/..${folder}/tools\n`)(folder),
  },
  'a link to a folder': {
    file: `tools/${HOOK}`,
    make: (folder) => {
      mkdirSync(join(folder, 'tools'))
      symlinkSync('tools', join(folder, 'way'))
      configure('[core] hooksPath = way\n')(folder)
    },
  },
  'a link that is swapped': {
    file: `evil/${HOOK}`,
    make: (folder) => {
      mkdirSync(join(folder, 'tools'))
      symlinkSync('tools', join(folder, 'way'))
      configure('[core] hooksPath = way\n')(folder)
    },
    before: 'ln -sfT evil way;',
  },
  'dots behind a name that becomes a link': {
    file: `a/tools/${HOOK}`,
    make: configure('[core] hooksPath = x/../tools\n'),
    before: 'ln -s a/b x; mkdir -p a/b;',
  },
  'dots behind a folder that becomes a link': {
    file: `a/tools/${HOOK}`,
    make: (folder) => {
      mkdirSync(join(folder, 'x'))
      configure('[core] hooksPath = x/../tools\n')(folder)
    },
    before: 'ln -s a/b y; rmdir x; mv -T y x; mkdir -p a/b;',
  },
  'the folder above, as husky does': {
    file: '.husky/post-index-change',
    make: (folder) => {
      put(join(folder, '.husky/_/post-index-change'), '#!/bin/sh\n. "$(dirname "$0")/../post-index-change"\n')
      git(folder, 'config', 'core.hooksPath', '.husky/_')
      git(folder, 'update-index', '--chmod=-x', 'first.txt')
    },
  },
  'a monitor': {
    file: 'tools/monitor',
    make: configure('[core]\n\tfsmonitor = ./tools/monitor\n'),
  },
  'an interpreter and a script': {
    file: 'show.sh',
    make: (folder) => {
      tracked(folder, '*.x diff=x\n')
      configure('[diff "x"] textconv = sh show.sh # x\n')(folder)
    },
    later: ['diff'],
  },
  'a quoted path with a blank': {
    file: 'my tools/show',
    make: (folder) => {
      tracked(folder, '*.x diff=x\n')
      git(folder, 'config', 'diff.x.textconv', "'my tools/show'")
    },
    later: ['diff'],
  },
  'a path with an escaped blank': {
    file: 'my tools/show',
    make: (folder) => {
      tracked(folder, '*.x diff=x\n')
      git(folder, 'config', 'diff.x.textconv', 'my\\ tools/show')
    },
    later: ['diff'],
  },
  'a script without its ending': {
    file: 'tools/show.js',
    make: (folder) => {
      put(join(folder, 'tools/show.js'), '')
      tracked(folder, '*.x diff=x\n')
      git(folder, 'config', 'diff.x.textconv', `"${process.execPath}" tools/show`)
    },
    later: ['diff'],
    script: `require('node:child_process').execSync("touch MARK")`,
  },
  'an address that is a command': {
    file: 'tools/connect',
    make: (folder) => {
      put(join(folder, 'tools/connect'), '')
      git(folder, 'config', 'protocol.ext.allow', 'always')
      git(folder, 'config', 'remote.origin.url', 'ext::tools/connect %S')
    },
    later: ['fetch', 'origin'],
  },
  'the start of addresses that is a command': {
    file: 'tools/connect',
    make: (folder) => {
      put(join(folder, 'tools/connect'), '')
      git(folder, 'config', 'protocol.ext.allow', 'always')
      git(folder, 'config', 'url.ext::tools/connect %S .insteadOf', 'our:')
    },
    later: ['fetch', 'our:library'],
  },
  'the settings of another work tree': {
    file: `tools/${HOOK}`,
    make: (folder) => {
      git(folder, 'config', 'extensions.worktreeConfig', 'true')
      git(folder, 'worktree', 'add', '-q', '../other')
      git(join(folder, '../other'), 'config', '--worktree', 'core.hooksPath', join(folder, 'tools'))
    },
    later: ['-C', '../other', 'update-index', '--chmod=+x', 'first.txt'],
  },
  'a folder for each work tree': {
    file: `inner/tools/${HOOK}`,
    make: (folder) => {
      git(folder, 'config', 'core.hooksPath', 'tools')
      git(folder, 'worktree', 'add', '-q', 'inner')
    },
    later: ['-C', 'inner', 'update-index', '--chmod=+x', 'first.txt'],
  },
  'a filter': {
    file: 'tools/clean',
    make: (folder) => {
      tracked(folder, '*.x filter=x\n')
      configure('[filter "x"]\n\tclean = "tools/clean"\n')(folder)
    },
  },
  'a setting that is not known': {
    file: 'tools/thing',
    make: (folder) => {
      put(join(folder, 'tools/thing'), '')
      configure('[new "x"]\n\trunner = tools/thing\n')(folder)
    },
    later: ['config', '--get', 'new.x.runner'],
  },
  'a repository above the workspace': {
    root: 'packages/one',
    file: `hooks/${HOOK}`,
    make: (folder) => {
      put(join(folder, 'packages/one/x'), '')
      configure('[core] hooksPath = packages/one/hooks\n')(folder)
    },
  },
  'the configuration of a submodule': {
    file: `libs/inner/tools/${HOOK}`,
    make: (folder) => {
      const library = makeRepository(join(dirname(folder), 'library'))
      git(folder, 'submodule', '--quiet', 'add', library, 'libs/inner')
      git(folder, 'commit', '-qm', 'with a submodule')
      appendFileSync(join(folder, '.git/modules/libs/inner/config'), '[core] hooksPath = tools\n')
    },
    later: ['-C', 'libs/inner', 'status'],
    before: 'touch libs/inner/first.txt;',
  },
  'an alias with an interpreter': {
    file: 'tools/show.sh',
    make: (folder) => {
      put(join(folder, 'tools/show.sh'), '')
      configure('[alias] show-all = "!sh tools/show.sh"\n')(folder)
    },
    later: ['show-all'],
  },
  'an alias for a command of git that runs it': {
    file: 'tools/check.sh',
    make: configure('[alias] check-all = rebase --exec ./tools/check.sh HEAD\n'),
    later: ['check-all'],
  },
  'an alias for a command in each submodule': {
    file: 'libs/inner/tools/check.sh',
    make: (folder) => {
      const library = makeRepository(join(dirname(folder), 'library'))
      git(folder, 'submodule', '--quiet', 'add', library, 'libs/inner')
      git(folder, 'commit', '-qm', 'with a submodule')
      configure('[alias] each = submodule foreach ./tools/check.sh\n')(folder)
    },
    later: ['each'],
  },
  'the update of a submodule': {
    file: 'libs/inner/tools/update.sh',
    make: (folder) => {
      const library = makeRepository(join(dirname(folder), 'library'))
      git(folder, 'submodule', '--quiet', 'add', library, 'libs/inner')
      git(folder, 'commit', '-qm', 'with a submodule')
      git(join(folder, 'libs/inner'), 'commit', '-q', '--allow-empty', '-m', 'ahead')
      git(folder, 'config', 'submodule.libs/inner.update', '!./tools/update.sh')
    },
    later: ['submodule', 'update'],
  },
  'an alias that gives git a folder of hooks': {
    file: 'tools/pre-commit',
    make: configure('[alias] note = -c core.hooksPath=tools commit --allow-empty -m x\n'),
    later: ['note'],
  },
  'dots behind a link': {
    file: `sub/tools/${HOOK}`,
    make: (folder) => {
      mkdirSync(join(folder, 'sub/deep'), { recursive: true })
      symlinkSync('sub/deep', join(folder, 'way'))
      configure('[core] hooksPath = way/../tools\n')(folder)
    },
  },
  'dots behind a link, in an included path': {
    file: 'sub/git.config',
    make: (folder) => {
      mkdirSync(join(folder, 'sub/deep'), { recursive: true })
      symlinkSync('sub/deep', join(folder, 'way'))
      configure('[include] path = ../way/../git.config\n')(folder)
    },
    script: '[core]\n\tfsmonitor = "touch MARK; false"\n',
  },
  'another work tree': {
    file: `tree/tools/${HOOK}`,
    make: (folder) => {
      put(join(folder, 'tree/first.txt'), 'one\n')
      configure('[core]\n\tworktree = ../tree\n\thooksPath = tools\n')(folder)
    },
    before: 'touch tree/first.txt;',
  },
  'a monitor in another work tree': {
    file: 'tree/tools/monitor',
    make: (folder) => {
      put(join(folder, 'tree/first.txt'), 'one\n')
      configure('[core]\n\tworktree = ../tree\n\tfsmonitor = tools/monitor\n')(folder)
    },
  },
  'hooks that are a link into the workspace': {
    file: `tools/${HOOK}`,
    make: (folder) => {
      mkdirSync(join(folder, 'tools'))
      rmSync(join(folder, '.git/hooks'), { recursive: true, force: true })
      symlinkSync('../tools', join(folder, '.git/hooks'))
    },
  },
  'a hook that is a link into the workspace': {
    file: 'tools/check.sh',
    make: (folder) => {
      put(join(folder, 'tools/check.sh'), '#!/bin/sh\n')
      chmodSync(join(folder, 'tools/check.sh'), 0o755)
      mkdirSync(join(folder, '.git/hooks'), { recursive: true })
      symlinkSync('../../tools/check.sh', join(folder, '.git/hooks', HOOK))
    },
  },
  'a hook in a named folder that is a link': {
    file: 'tools/check.sh',
    make: (folder) => {
      put(join(folder, 'tools/check.sh'), '#!/bin/sh\n')
      chmodSync(join(folder, 'tools/check.sh'), 0o755)
      mkdirSync(join(folder, 'hooks'))
      symlinkSync('../tools/check.sh', join(folder, 'hooks', HOOK))
      configure('[core] hooksPath = hooks\n')(folder)
    },
  },
  'a configuration that is a link into the workspace': {
    file: 'git.config',
    make: (folder) => {
      renameSync(join(folder, '.git/config'), join(folder, 'git.config'))
      symlinkSync('../git.config', join(folder, '.git/config'))
    },
    script: '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch MARK; false"\n',
  },
  'a file .git with the line ends of Windows': {
    file: `store/hooks/${HOOK}`,
    make: (folder) => {
      git(folder, 'init', '-q', '--separate-git-dir=store')
      writeFileSync(join(folder, '.git'), `gitdir: ${join(folder, 'store')}\r\n`)
    },
  },
  'a git folder with another name': {
    file: `store/hooks/${HOOK}`,
    make: (folder) => git(folder, 'init', '-q', '--separate-git-dir=store'),
  },
}
