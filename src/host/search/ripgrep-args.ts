import type { SearchRequest } from '../../core/powers.ts'

/** Reads nothing but the folder it runs in: no configuration, no ignore files from above or from a home, no links. */
const CONFINED = [
  '--no-config',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-follow',
  '--no-mmap',
  '--no-messages',
  '--no-ignore-messages',
]
/** Git's ignore files count in any folder. */
const IGNORING = ['--no-require-git']
const PRINTING = [
  '--color=never',
  '--heading',
  '--null',
  '--with-filename',
  '--line-number',
  '--byte-offset',
  '--only-matching',
]
/** The end of a line does not belong to it; and a pattern is not let grow without limit. */
const MATCHING = ['--crlf', '--engine=default', '--regex-size-limit=16M', '--dfa-size-limit=64M']
const KIND = 'wanted'
/** Denied patterns that mean the same to the program: what it is told to pass over it does not even read. */
const PLAIN_DENY = /^(?!\/)(?!.*\.\*$)[\w.*/-]+$/

/**
 * The command line of the search program; the starts are relative to the folder that it runs in. Looking at the size
 * of every file takes time, so there is a way to do without.
 */
export function ripgrepArgs(
  request: SearchRequest,
  starts: readonly string[],
  denied: readonly string[],
  checksSizes: boolean,
): readonly string[] {
  const { query, isRegex, isCaseSensitive, withHidden, without, only } = request
  const kinds = only === null ? [] : [...only.map((glob) => `--type-add=${KIND}:${glob}`), `--type=${KIND}`]
  return [
    ...CONFINED,
    ...IGNORING,
    ...PRINTING,
    ...MATCHING,
    isRegex ? '--no-fixed-strings' : '--fixed-strings',
    isCaseSensitive ? '--case-sensitive' : '--ignore-case',
    withHidden ? '--hidden' : '--no-hidden',
    ...(checksSizes ? [`--max-filesize=${request.maxFileBytes}`] : []),
    `--max-count=${request.maxLinesPerFile}`,
    ...without.map((glob) => `--glob=!${glob}`),
    ...denied.filter((pattern) => PLAIN_DENY.test(pattern)).map((pattern) => `--iglob=!${anchor(pattern)}`),
    ...kinds,
    `--regexp=${query}`,
    '--',
    ...starts.map((start) => `./${start}`),
  ]
}

/** A pattern that is not for any depth starts at the root. */
function anchor(pattern: string): string {
  return pattern.startsWith('**/') ? pattern : `/${pattern}`
}
