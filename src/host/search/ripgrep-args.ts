import type { SearchRequest } from '../../core/powers.ts'

/** Reads only the folder it runs in: no configuration, no ignore files from parent or home folders, no links. */
const CONFINED = [
  '--no-config',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-follow',
  '--no-mmap',
  '--no-messages',
  '--no-ignore-messages',
]
/** Git's ignore files apply even outside a repository. */
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
/** Line ends do not belong to the line, and the size of a compiled pattern is limited. */
const MATCHING = ['--crlf', '--engine=default', '--regex-size-limit=16M', '--dfa-size-limit=64M']
const KIND = 'wanted'
/** Denied patterns that mean the same to ripgrep, so that it does not even read what they match. */
const PLAIN_DENY = /^(?!\/)(?!.*\.\*$)[\w.*/-]+$/

/** How ripgrep goes about it. */
export interface RipgrepChoices {
  /** Checking the size of every file takes time. */
  readonly checksSizes: boolean
  /** Without them it reads ignored files as well, for nothing. */
  readonly readsIgnoreFiles: boolean
}

/** The arguments of ripgrep; the starts are relative to the folder that it runs in. */
export function ripgrepArgs(
  request: SearchRequest,
  starts: readonly string[],
  denied: readonly string[],
  { checksSizes, readsIgnoreFiles }: RipgrepChoices,
): readonly string[] {
  const { query, isRegex, isCaseSensitive, withHidden, withBinary, without, only } = request
  const kinds = only === null ? [] : [...only.map((glob) => `--type-add=${KIND}:${glob}`), `--type=${KIND}`]
  return [
    ...CONFINED,
    ...(readsIgnoreFiles ? IGNORING : ['--no-ignore']),
    ...PRINTING,
    ...MATCHING,
    isRegex ? '--no-fixed-strings' : '--fixed-strings',
    isCaseSensitive ? '--case-sensitive' : '--ignore-case',
    withHidden ? '--hidden' : '--no-hidden',
    withBinary === true ? '--text' : '--no-text',
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

/** A pattern without a leading `**` starts at the root. */
function anchor(pattern: string): string {
  return pattern.startsWith('**/') ? pattern : `/${pattern}`
}
