import { programName, skipOptions } from './unwrap.ts'

/** What a command of a script leads to: other scripts, those of other packages, another command, or nothing of these. */
export type Called =
  | { readonly is: 'scripts'; readonly names: readonly string[]; readonly more: readonly string[] }
  /** The script of the packages in the workspace; of those named, if any are. */
  | { readonly is: 'packages'; readonly named: readonly string[] }
  | { readonly is: 'command'; readonly words: readonly string[] }

const MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun'])
const SERIES: ReadonlySet<string> = new Set(['run-s', 'run-p', 'npm-run-all', 'npm-run-all2'])
const EVERY_PACKAGE = /^(?:--workspaces|-ws|-r|--recursive)$/
const ONE_PACKAGE = /^(?:--workspace|-w|--filter|-F)(?:=(.*))?$/

/** Reads a command as one of a package manager, or of a program that runs scripts; null if it is neither. */
export function readCalled(words: readonly string[], scripts: ReadonlyMap<string, string>): Called | null {
  const [first = '', ...rest] = words
  const name = programName(first)
  if (SERIES.has(name)) return { is: 'scripts', names: match(skipDashed(rest), scripts), more: [] }
  if (name === 'lerna' || name === 'turbo' || name === 'nx') {
    const isTest = rest.some((word) => /^(?:--targets?=|--?t=?)?test/.test(word))
    return isTest ? { is: 'packages', named: [] } : null
  }
  if (name === 'node') {
    const script = /^--run=?(.*)$/.exec(rest[0] ?? '')
    const target = script?.[1] === '' ? rest[1] : script?.[1]
    return target === undefined ? null : { is: 'scripts', names: match([target], scripts), more: [] }
  }
  return MANAGERS.has(name) ? readManager(name, rest, scripts) : null
}

function readManager(
  manager: string,
  rest: readonly string[],
  scripts: ReadonlyMap<string, string>,
): Called | null {
  const packages = readPackages(manager, rest)
  if (packages !== null) return packages
  const [verb = '', ...args] = skipOptions(rest, null)
  if (verb === 'run' || verb === 'run-script') {
    const [target = '', ...more] = skipOptions(args, null)
    const names = match([target], scripts)
    // Yarn also runs the programs of packages this way.
    if (names.length === 0 && manager !== 'npm') return { is: 'command', words: [target, ...more] }
    return { is: 'scripts', names, more: withoutDashes(more) }
  }
  if (verb === 'exec' || verb === 'x' || verb === 'dlx')
    return { is: 'command', words: skipOptions(args, null) }
  if (verb === 'test' || verb === 't') {
    if (manager === 'bun') return null
    return { is: 'scripts', names: match(['test'], scripts), more: withoutDashes(args) }
  }
  if (manager === 'npm' || verb === '') return null
  if (scripts.has(verb)) return { is: 'scripts', names: [verb], more: withoutDashes(args) }
  return manager === 'bun' ? null : { is: 'command', words: [verb, ...args] }
}

/** A script that is run in other packages. */
function readPackages(manager: string, words: readonly string[]): Called | null {
  if (manager === 'yarn' && words[0] === 'workspaces') return { is: 'packages', named: [] }
  if (manager === 'yarn' && words[0] === 'workspace') return { is: 'packages', named: words.slice(1, 2) }
  const end = words.indexOf('--')
  const own = end === -1 ? words : words.slice(0, end)
  const named = own.flatMap((word, at) => {
    // For pnpm, `-w` is the root of the workspace.
    const found = manager === 'pnpm' && word === '-w' ? null : ONE_PACKAGE.exec(word)
    return found === null ? [] : [found[1] ?? own[at + 1] ?? '']
  })
  const isEvery = own.some((word) => EVERY_PACKAGE.test(word))
  return isEvery || named.length > 0 ? { is: 'packages', named } : null
}

/** The scripts of these names; `test:*` and `/^test:/` stand for several. */
function match(patterns: readonly string[], scripts: ReadonlyMap<string, string>): readonly string[] {
  return patterns.flatMap((pattern) => {
    if (scripts.has(pattern)) return [pattern]
    const inSlashes = /^\/(.+)\/$/.exec(pattern)?.[1]
    const starts = inSlashes === undefined ? /^([^*]*:)\*{1,2}$/.exec(pattern)?.[1] : undefined
    const isMeant = (name: string): boolean => {
      if (starts !== undefined) return name.startsWith(starts)
      return inSlashes === undefined ? false : fits(name, inSlashes)
    }
    return [...scripts.keys()].filter(isMeant)
  })
}

/** Only beginnings and ends, as in `^test:`: an expression of a project could take for ever. */
function fits(name: string, expression: string): boolean {
  const [, start, text = '', end] = /^(\^?)([^$]*)(\$?)$/.exec(expression) ?? []
  if (start === '^' && end === '$') return name === text
  if (start === '^') return name.startsWith(text)
  return end === '$' ? name.endsWith(text) : name.includes(text)
}

function skipDashed(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith('-'))
}

/** `npm run a -- -b` hands on what follows the dashes. */
function withoutDashes(words: readonly string[]): readonly string[] {
  return words[0] === '--' ? words.slice(1) : words
}
