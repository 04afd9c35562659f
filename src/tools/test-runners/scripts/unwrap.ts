import { readAssignments, readScript } from './read-script.ts'

/** A command without what only prepares it. */
export interface Unwrapped {
  readonly variables: Readonly<Record<string, string>>
  /** What has to stay in front of the words, such as Node with its options. */
  readonly prefix: readonly string[]
  readonly words: readonly string[]
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/
const MOST_LAYERS = 8

/**
 * Looks through programs that start another one: those that set variables, measure coverage or find a package. A
 * program that reads variables from a file stays in front.
 */
export function unwrap(command: Unwrapped): Unwrapped {
  let current = command
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const inner = unwrapOnce(current)
    if (inner === null) return current
    current = inner
  }
  return current
}

/** The name of the program that a word stands for: of a path, of a package's file, or with a version. */
export function programName(word: string): string {
  const packaged = /(?:^|\/)node_modules\/(?:\.bin\/)?((?:@[^/]+\/)?[^/]+)/.exec(word)?.[1]
  const name = packaged ?? (word.startsWith('@') ? word : word.slice(word.lastIndexOf('/') + 1))
  return name.replace(/(?<=.)@[^/]*$/, '')
}

/** Programs that measure coverage, with their options that take the next word. */
const COVERAGE: Readonly<Record<string, RegExp>> = {
  c8: /^(?:-[rnxobc]|--(?:reporter|include|exclude|src|config|reports-dir|report-dir|temp-directory|extension|lines|branches|functions|statements|resolve))$/,
  nyc: /^(?:-[rnxeich]|--(?:reporter|include|exclude|extension|require|cwd|temp-dir|report-dir|nycrc-path|lines|branches|functions|statements))$/,
}
const NPX_VALUE = /^(?:-p|--package|-c|--call)$/
const NODE_VALUE = /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file)$/
const FROM_FILE: ReadonlySet<string> = new Set(['dotenv', 'dotenvx', 'env-cmd', 'dotenv-flow'])

function unwrapOnce({ variables, prefix, words }: Unwrapped): Unwrapped | null {
  const [first = '', ...rest] = words
  const on = (inner: readonly string[], more: Readonly<Record<string, string>> = {}): Unwrapped => ({
    variables: { ...variables, ...more },
    prefix,
    words: inner,
  })
  const name = programName(first)
  switch (name) {
    case 'env':
    case 'cross-env':
    case 'cross-env-shell': {
      const from = rest.findIndex((word) => !ASSIGNMENT.test(word))
      const inner = rest.slice(from)
      if (from === -1 || inner[0]?.startsWith('-') === true) return null
      const set = readAssignments(rest.slice(0, from))
      // One word with blanks is a command line of its own.
      const lone = inner.length === 1 && inner[0]?.includes(' ') === true ? readScript(inner[0]) : []
      const [part] = lone
      if (part?.words) return on(part.words, { ...set, ...part.variables })
      return on(inner, set)
    }
    case 'c8':
    case 'nyc': {
      const inner = skipOptions(rest, COVERAGE[name] ?? null)
      return inner.length === 0 || inner[0] === 'report' || inner[0] === 'merge' ? null : on(inner)
    }
    case 'time':
    case 'nice':
    case 'exec':
      return rest[0]?.startsWith('-') === false ? on(rest) : null
    case 'npx':
    case 'bunx':
    case 'pnpx': {
      const inner = skipOptions(rest, NPX_VALUE)
      return inner.length === 0 ? null : on(inner)
    }
    case 'node': {
      const inner = skipOptions(rest, NODE_VALUE)
      // Only a file of a package is known for what it is.
      if (inner[0]?.includes('node_modules/') !== true || rest.includes('--test')) return null
      return {
        variables,
        prefix: [...prefix, ...words.slice(0, words.length - inner.length)],
        words: inner,
      }
    }
    default: {
      if (!FROM_FILE.has(name)) return null
      const end = words.indexOf('--')
      if (end === -1 || end === words.length - 1) return null
      return { variables, prefix: [...prefix, ...words.slice(0, end + 1)], words: words.slice(end + 1) }
    }
  }
}

/** What follows the options; an option in `takesValue` is followed by its value. */
export function skipOptions(words: readonly string[], takesValue: RegExp | null): readonly string[] {
  let at = 0
  while (at < words.length) {
    const word = words[at] ?? ''
    if (word === '--') return words.slice(at + 1)
    if (!word.startsWith('-')) break
    at += takesValue?.test(word) === true ? 2 : 1
  }
  return words.slice(at)
}
