import type { GitSetting } from '../git-setting.ts'

/** An address whose beginning says which program talks to it. */
const ADDRESS = /(?:^|[\s"'=])([\w+.-]+):(?::|\/\/)/g
/** A setting that rewrites addresses has the address in its own name. */
const REWRITTEN = /^url\.(.*)\.(?:push)?insteadof$/s
/** Ways to merge, separated by blanks. */
const NAMES_STRATEGIES = /^pull\.(?:twohead|octopus)$/
const STRATEGY = /(?:^|[\s"'])(?:-s|--strategy)[=\s]*([\w.-]+)/g
/** Git as it is started in a line, with the options of its own. */
const OWN_COMMAND = /(?:^|[\s"'`(;&|!/])git((?:[ \t]+[\w./=~:@-]+){1,6})/g

/** The names of programs that git makes of words in a setting, to look for them on PATH: for addresses, ways to merge and commands of its own. */
export function findMadeNames({ key, value }: GitSetting): readonly string[] {
  const texts = [value, REWRITTEN.exec(key)?.[1] ?? '']
  const matches = (pattern: RegExp): readonly string[] =>
    texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, word = '']) => word))
  const strategies = NAMES_STRATEGIES.test(key) ? wordsOf(value) : matches(STRATEGY)
  const commands = matches(OWN_COMMAND)
    .flatMap(wordsOf)
    .filter((word) => !word.startsWith('-'))
  const made = [
    ...matches(ADDRESS).map((name) => `git-remote-${name}`),
    ...strategies.map((name) => `git-merge-${name}`),
    ...commands.map((name) => `git-${name}`),
  ]
  return [...new Set(made)].filter((name) => !name.includes('/'))
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
