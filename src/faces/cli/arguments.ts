import { nearest } from '../../core/text/nearest.ts'

/** A command-line option. */
export interface OptionSpec {
  readonly name: string
  /** The name of its value in the help; null for a switch. */
  readonly value: string | null
  readonly isRepeatable?: boolean
  /** Whether all words up to the next option are values of it. */
  readonly takesAll?: boolean
  readonly says: string
}

/** A command and its arguments. */
export interface CommandSpec {
  readonly name: string
  /** Its arguments as the help shows them. */
  readonly words: string
  readonly says: string
  /** The minimum and maximum number of arguments. */
  readonly arity: readonly [least: number, most: number]
  readonly options?: readonly OptionSpec[]
}

/** A parsed command line. */
export interface ParsedLine {
  readonly command: CommandSpec
  readonly words: readonly string[]
  readonly has: (option: string) => boolean
  readonly value: (option: string) => string | undefined
  readonly values: (option: string) => readonly string[]
}

/** A usage error and how to fix it. */
export interface UsageFault {
  readonly message: string
  readonly hint: string
}

/** Parses a command line by the tables; options may appear anywhere, and `--` ends them. */
export function parseLine(
  argv: readonly string[],
  commands: readonly CommandSpec[],
  common: readonly OptionSpec[],
): { readonly ok: true; readonly line: ParsedLine } | { readonly ok: false; readonly fault: UsageFault } {
  const found = new Map<string, string[]>()
  const words: string[] = []
  const known = new Map(common.map((option) => [option.name, option]))
  let command: CommandSpec | undefined
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (word === '--') {
      words.push(...argv.slice(i + 1))
      break
    }
    if (!word.startsWith('--')) {
      if (command !== undefined) {
        words.push(word)
        continue
      }
      command = commands.find(({ name }) => name === word)
      if (command === undefined)
        return unknown(
          'command',
          word,
          commands.map(({ name }) => name),
        )
      for (const option of command.options ?? []) known.set(option.name, option)
      continue
    }
    const equals = word.indexOf('=')
    const name = equals === -1 ? word : word.slice(0, equals)
    const option = known.get(name)
    if (option === undefined) return unknown('option', name, [...known.keys()])
    const given = found.get(name) ?? []
    if (given.length > 0 && option.value !== null && option.isRepeatable !== true)
      return fault(`${name} is given twice`, 'give it once')
    if (option.value === null) {
      if (equals !== -1) return fault(`${name} takes no value`, `write ${name} alone`)
      found.set(name, ['true'])
      continue
    }
    const value = equals === -1 ? argv[++i] : word.slice(equals + 1)
    if (value === undefined) return fault(`${name} needs a value`, `write ${name} ${option.value}`)
    const more: string[] = []
    if (option.takesAll === true && equals === -1)
      while (argv[i + 1]?.startsWith('--') === false) more.push(argv[++i] ?? '')
    found.set(name, [...given, value, ...more])
  }
  if (command === undefined) return fault('no command', 'try tongs --help')
  const [least, most] = command.arity
  if (words.length < least)
    return fault(`${command.name} needs more arguments`, `usage: tongs ${command.name} ${command.words}`)
  if (words.length > most)
    return fault(
      `${command.name} does not take ${JSON.stringify(words[most])}`,
      `usage: tongs ${command.name} ${command.words}`.trimEnd(),
    )
  return {
    ok: true,
    line: {
      command,
      words,
      has: (option) => found.has(option),
      value: (option) => found.get(option)?.at(-1),
      values: (option) => found.get(option) ?? [],
    },
  }
}

function unknown(what: string, word: string, names: readonly string[]): { ok: false; fault: UsageFault } {
  const meant = nearest(word, names)
  return fault(
    `unknown ${what} ${JSON.stringify(word)}`,
    meant === null ? 'try tongs --help' : `did you mean ${meant}?`,
  )
}

function fault(message: string, hint: string): { ok: false; fault: UsageFault } {
  return { ok: false, fault: { message, hint } }
}
