/** What the value of an option, or an operand, may look like. */
export type ValueKind = keyof typeof KINDS

/** How a program reads the words after its name. */
export type Style =
  /** Letters may stand together, and the rest of a word is the value of the first letter that takes one. */
  | 'clusters'
  /** A letter stands alone; its value follows directly or as the next word. */
  | 'letters'
  /** Every option is a word of its own, and so is its value. */
  | 'words'

/** An option of a program. */
export interface Option {
  /** Whether it has a value: always, or only where it is written into the same word. */
  readonly takes: 'nothing' | 'value' | 'attached'
  readonly kind: ValueKind
}

/** A program, or one of its verbs, with everything that may follow without it running, writing or reaching anything. */
export interface HarmlessRow {
  /** The program and its verb. */
  readonly words: readonly string[]
  readonly style: Style
  readonly options: ReadonlyMap<string, Option>
  /** The operands in order; the last kind holds for all further ones. */
  readonly operands: readonly ValueKind[]
  readonly mostOperands: number
}

/** A row as it is written down; see `defineRow`. */
export interface RowSpec {
  readonly style?: Style
  readonly options?: string
  readonly operands?: readonly ValueKind[]
  /** As many as there are kinds if absent. */
  readonly most?: number
}

const LINES = String.raw`(?:\d{1,9}|\$)(?:,(?:\d{1,9}|\$|\+\d{1,9}))?p`
const PLACEHOLDER = String.raw`%(?:[HhTtPpsfbBdDn%]|[ac][nNeElLdDrtiIs]|x[0-9a-fA-F]{2}|C(?:red|green|blue|reset))`

const KINDS = {
  number: /^\d{1,9}$/,
  /** A count with a sign and a unit, such as `+3` or `-2k`. */
  signed: /^[-+]?\d{1,9}[A-Za-z]{0,2}$/,
  word: /^[A-Za-z0-9][A-Za-z0-9_.,:+-]*$/,
  /** Anything that cannot be taken for an option, alone or as standard input. */
  text: /^(?!-)/,
  /** The same for a program to which a plus begins an option too, as in `tail +1f`. */
  unsigned: /^(?![-+])/,
  /** Anything at all, for a program that only prints its words. */
  anything: /^/,
  /** What `date` prints; without the plus it would set the clock. */
  dateFormat: /^\+/,
  /** The lines that `sed` prints; its other commands write and run. */
  lines: new RegExp(`^${LINES}(?:;${LINES})*$`),
  /** How git prints a commit; `%G` would run a program to check signatures, and so may the name
   * of a format in the configuration. */
  commitFormat: new RegExp(
    `^(?:oneline|short|medium|full|fuller|reference|raw|(?:t?format:|(?=[^]*%))(?:[^%]|${PLACEHOLDER})*)$`,
  ),
} as const satisfies Readonly<Record<string, RegExp>>

const NOTATION = /^(--?[A-Za-z0-9][A-Za-z0-9-]*)(?:=([A-Za-z]+)|\[=([A-Za-z]+)\])?$/
/** How a row says that it takes a number for an option, as in `-5`. */
const NUMBER_OPTION = '-#'

/**
 * Defines a row. The options are a list of words: `-a` and `--all` take nothing, `-n=number` takes a value,
 * `--color[=word]` may have one in the same word, and `-#` is any number, as in `-5`.
 */
export function defineRow(words: string, spec: RowSpec = {}): HarmlessRow {
  const { style = 'clusters', options = '', operands = [], most = operands.length } = spec
  const table = new Map<string, Option>()
  for (const written of options.split(/\s+/).filter((word) => word !== '')) {
    const [, name, value, attached] = NOTATION.exec(written) ?? []
    const kind = value ?? attached ?? 'text'
    if (written === NUMBER_OPTION) {
      table.set(written, { takes: 'nothing', kind: 'number' })
      continue
    }
    if (name === undefined || !isKind(kind) || table.has(name))
      throw new TypeError(`the option ${written} of ${words} is not written as it should be`)
    table.set(name, {
      takes: value === undefined ? (attached === undefined ? 'nothing' : 'attached') : 'value',
      kind,
    })
  }
  return { words: words.split(' '), style, options: table, operands, mostOperands: most }
}

/** Whether a row understands every one of these words, which follow its own. */
export function understands(row: HarmlessRow, args: readonly string[]): boolean {
  let operands = 0
  let isEnded = false
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    if (word.includes('\0')) return false
    if (word === '--' && !isEnded && row.style !== 'words' && row.operands.length > 0) {
      isEnded = true
      continue
    }
    const isOption = word.startsWith('-') && !isEnded && row.operands[0] !== 'anything'
    if (isOption) {
      const length = readOption(row, word, args[at + 1])
      if (length === 0) return false
      at += length - 1
      continue
    }
    const kind = row.operands[Math.min(operands, row.operands.length - 1)]
    operands += 1
    if (kind === undefined || operands > row.mostOperands || !fits(kind, word)) return false
  }
  return true
}

/**
 * Whether a row understands whatever a shell may expand a pattern to. The names of files decide over that, so there may
 * be any number of words, and one that does not begin with a letter of its own may be an option, such as `-o`.
 */
export function understandsAll(row: HarmlessRow, pattern: string): boolean {
  if (row.mostOperands !== Infinity) return false
  return row.operands[0] === 'anything' || !/^[-+*?[{]/.test(pattern)
}

/** How many words an option takes up; 0 if it is not understood. */
function readOption(row: HarmlessRow, word: string, next: string | undefined): 0 | 1 | 2 {
  // A hyphen alone is standard input, or a file of that name.
  if (word === '-') return 0
  const known = row.options.get(word)
  if (known !== undefined) return known.takes === 'value' ? readSeparate(known, next) : 1
  if (row.style === 'words') return 0
  if (word.startsWith('--')) {
    const equals = word.indexOf('=')
    if (equals === -1) return 0
    return fitsAttached(row.options.get(word.slice(0, equals)), word.slice(equals + 1)) ? 1 : 0
  }
  if (row.options.has(NUMBER_OPTION) && /^-\d{1,9}$/.test(word)) return 1
  return row.style === 'letters'
    ? fitsAttached(row.options.get(word.slice(0, 2)), word.slice(2))
      ? 1
      : 0
    : readCluster(row, word, next)
}

function readCluster(row: HarmlessRow, word: string, next: string | undefined): 0 | 1 | 2 {
  for (let at = 1; at < word.length; at += 1) {
    const option = row.options.get(`-${word.charAt(at)}`)
    if (option === undefined) return 0
    if (option.takes === 'nothing') continue
    const rest = word.slice(at + 1)
    if (rest !== '') return fitsAttached(option, rest) ? 1 : 0
    return option.takes === 'value' ? readSeparate(option, next) : 1
  }
  return 1
}

function fitsAttached(option: Option | undefined, value: string): boolean {
  return option !== undefined && option.takes !== 'nothing' && fits(option.kind, value)
}

/** A value as a word of its own must not look like an option, in case the program takes it for one. */
function readSeparate({ kind }: Option, next: string | undefined): 0 | 2 {
  if (next === undefined || !fits(kind, next)) return 0
  return next.startsWith('-') && kind !== 'signed' ? 0 : 2
}

function fits(kind: ValueKind, value: string): boolean {
  return KINDS[kind].test(value)
}

function isKind(name: string): name is ValueKind {
  return Object.hasOwn(KINDS, name)
}
