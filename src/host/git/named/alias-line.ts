import { INTERPRETER, NEXT_COMMAND, NO_SHELL } from './named-programs.ts'
import { gitWordsOf } from './shell-words.ts'

/** Options of git itself that take the next word. */
const TAKES_NEXT = /^(?:-[Cc]|--(?:attr-source|config-env|git-dir|namespace|super-prefix|work-tree))$/
/** Those that name the folder in which all of it happens. */
const NAMES_FOLDER = /^(?:-C|--work-tree)$/
/** Commands of git that run nothing of what their own words name. */
const RUNS_NOTHING_NAMED =
  /^(?:add|am|annotate|apply|blame|branch|bundle|cat-file|checkout|cherry|cherry-pick|clean|commit|config|count-objects|describe|diff|diff-tree|for-each-ref|format-patch|fsck|gc|init|log|ls-files|ls-tree|merge|merge-base|mv|name-rev|notes|prune|range-diff|reflog|repack|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-branch|show-ref|sparse-checkout|stage|stash|status|switch|tag|whatchanged|worktree)$/
/** Those that run what some of their options say. */
const RUNS_OPTIONS =
  /^(?:archive|clone|difftool|fetch|fetch-pack|grep|ls-remote|mergetool|pull|push|rebase|remote|send-pack)$/
/** These options, which git accepts shortened, too. */
const RUN_BY_OPTION = ['--exec', '--extcmd', '--open-files-in-pager', '--receive-pack', '--upload-pack']
/** The short ones among other letters, as in `-ix`. */
const SHORT = /^-[A-Za-z]*?[Oux](.*)$/s
/** Those that run all words behind one. */
const RUNS_BEHIND: ReadonlyMap<string, string> = new Map([
  ['bisect', 'run'],
  ['submodule', 'foreach'],
])
/** An address that is a command line. */
const COMMAND_ADDRESS = /::/

/**
 * What an alias runs: a line for a shell behind "!", and otherwise a line for each program that git starts for it, which
 * is a name on PATH unless it has a slash. Git runs only some of the words that its commands are given, as that behind
 * `rebase --exec`; a command that is not its own may run them all.
 */
export function lineOfAlias(value: string): string {
  return value.startsWith('!') ? value : linesOfGit(gitWordsOf(value)).join('\n')
}

function linesOfGit(words: readonly string[]): readonly string[] {
  const folders: string[] = []
  let at = 0
  for (let word = words[at]; word?.startsWith('-') === true; word = words[at]) {
    const [option = '', beside] = word.split('=', 2)
    const takesNext = TAKES_NEXT.test(word)
    if (NAMES_FOLDER.test(option)) folders.push(`cd ${quote(beside ?? words[at + 1] ?? '')}`)
    at += takesNext ? 2 : 1
  }
  const [command = '', ...given] = words.slice(at)
  if (RUNS_NOTHING_NAMED.test(command)) return []
  return [...folders, `git-${command}`, ...linesRunBy(command, given)]
}

function linesRunBy(command: string, given: readonly string[]): readonly string[] {
  if (RUNS_OPTIONS.test(command)) return given.flatMap((word, at) => linesOfOption(word, given[at + 1] ?? ''))
  const behind = RUNS_BEHIND.get(command)
  if (behind !== undefined) {
    const rest = given.slice(given.indexOf(behind) + 1)
    const start = rest.findIndex((word) => !word.startsWith('-'))
    return given.includes(behind) && start >= 0 ? linesOfWords(rest.slice(start)) : []
  }
  const start = given.findIndex((word) => /\s/.test(word) || (INTERPRETER.test(word) && !NO_SHELL.test(word)))
  return [
    ...given.map((word) => quote(word.replace(/^--[\w-]+=/, ''))),
    ...(start < 0 ? [] : linesOfWords(given.slice(start))),
  ]
}

/** What a word of git's makes it run, alone or with the next one. */
function linesOfOption(word: string, next: string): readonly string[] {
  if (COMMAND_ADDRESS.test(word)) return [word]
  const [, name = '', value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? []
  if (name !== '')
    return RUN_BY_OPTION.some((option) => option.startsWith(name)) ? linesOfWords([value ?? next]) : []
  const beside = SHORT.exec(word)?.[1]
  return beside === undefined ? [] : linesOfWords([beside === '' ? next : beside])
}

/** What words run that are a command, or a line for a shell if it is one word. */
function linesOfWords(words: readonly string[]): readonly string[] {
  const [line = '', ...more] = words
  if (more.length > 0) return linesOfShell(words.map(quote).join(' '))
  return line.includes('/') && /\s/.test(line) ? [quote(line), ...linesOfShell(line)] : linesOfShell(line)
}

function quote(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word
}

/** Where words cannot be told apart without a shell. */
const NEEDS_SHELL = /["'`\\$]/
/** What may stand before a command. */
const BEFORE_COMMAND = /^(?:\w+=.*|!|command|do|else|env|exec|if|then|time|while)$/

/** The commands of a line for a shell, in which the words of git are read as those of an alias, if it starts no git itself. */
function linesOfShell(line: string): readonly string[] {
  if (NEEDS_SHELL.test(line)) return [line]
  return line.split(NEXT_COMMAND).flatMap((command) => {
    const words = command.split(/[\s(){}]+/).filter((word) => word !== '')
    const start = words.findIndex((word) => !BEFORE_COMMAND.test(word))
    if (start < 0) return [command]
    const [name, ...given] = words.slice(start)
    return [
      words.slice(0, start).join(' '),
      ...(name === 'git' && !given.includes('git') ? linesOfGit(given) : [words.slice(start).join(' ')]),
    ]
  })
}
