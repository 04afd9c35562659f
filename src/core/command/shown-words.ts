import { DEEPEST, readCommands, wordsIn } from './named-words.ts'
import { programOf, readScripts, runsRest } from './running-words.ts'

/** A name, and not a line or an address, of which a secret may be a part. */
const NAME = /^(?!.*:\/\/)\S{1,255}$/
/** Programs that only print their words. */
const PRINTERS = /^(?:echo|printf)$/
/** Programs that set variables. */
const SETTERS = /^(?:env|export|declare|typeset|readonly|local)$/
const ASSIGNMENT = /^\w+=/
/** Options that say by their name that a secret stands behind them: no program runs it. */
const SECRET_OPTION = /^--?[\w-]*(?:token|passw(?:or)?d|secret|api-?key|credential|bearer)=/i
/** Programs that send what stands behind some of their options. */
const SENDERS = /^(?:curl|wget|https?|xh)$/
/** Their short options differ: the same letter can stand before an address. */
const SENT = /^--(?:header|user|password|data(?:-\w+)?|cookie|oauth2-bearer)$/
const SENT_BY_CURL = /^-[Hudb]$/

/**
 * The words of a command that whoever is asked has to see, whatever they look like: all but those of which it is known that
 * they are a value and nothing else. What programs run, make or fetch by their words, nobody can list.
 */
export function shownWords(words: readonly string[]): readonly string[] {
  return readShown(words).names
}

/** The same for a line for a shell, and the files that it reads and writes. */
export function shownWordsOf(line: string): readonly string[] {
  return readShownOf(line).names
}

/** What is shown of a command. */
export interface ShownWords {
  /** Words that are shown whole. */
  readonly names: readonly string[]
  /** Words with blanks or addresses in them: code for a program other than a shell, or text. */
  readonly texts: readonly string[]
}

/** The same, and the words that are texts. */
export function readShown(words: readonly string[]): ShownWords {
  return sort(findShown(words, { depth: 0, isAlone: true }))
}

/** The same for a line for a shell. */
export function readShownOf(line: string): ShownWords {
  const targets = readCommands(line).commands.flatMap(({ redirects }) =>
    redirects.map(({ target }) => target),
  )
  const { names, texts } = sort(findShownIn(line, { depth: 0, isAlone: true }))
  return { names: [...names, ...targets.filter((target) => target !== '')], texts }
}

function sort(words: readonly string[]): ShownWords {
  const { names = [], texts = [] } = Object.groupBy(words, (word) => (NAME.test(word) ? 'names' : 'texts'))
  return { names, texts }
}

/** Where a command stands. */
interface Place {
  readonly depth: number
  /** Whether nothing reads what it prints. */
  readonly isAlone: boolean
  /** Whether quotes do not hold its words together. */
  readonly isRough?: boolean
}

function findShown(words: readonly string[], { depth, isAlone, isRough = false }: Place): readonly string[] {
  if (depth > DEEPEST) return words.flatMap(wordsIn)
  const [first = ''] = words
  const program = programOf(first)
  if (isAlone && PRINTERS.test(program)) return [first]
  const inner = runsRest(program)
    ? words.flatMap((_, at) => readScripts(words.slice(at)))
    : readScripts(words)
  const within = { depth: depth + 1, isAlone }
  return [
    // What a shell reads of them is shown as commands.
    ...withoutValues(words, program, isRough).filter((word) => NAME.test(word) || !inner.includes(word)),
    ...inner.flatMap((script) => findShownIn(script, within)),
  ]
}

function withoutValues(words: readonly string[], program: string, isRough: boolean): readonly string[] {
  const sends = SENDERS.test(program)
  const isOption = (word = ''): boolean => SENT.test(word) || (program === 'curl' && SENT_BY_CURL.test(word))
  const set = SETTERS.test(program) ? words.findIndex((word, at) => at > 0 && !isSetting(word)) : 0
  return words.filter((word, at) => {
    if (SECRET_OPTION.test(word) || (ASSIGNMENT.test(word) && (set === -1 || at < set))) return false
    const isSent = sends && (isOption(words[at - 1]) || (isRough && isInHeader(words, at)))
    return !isSent
  })
}

/** Whether a word is the value of a header whose quotes are gone, as in `-H Authorization: Bearer VALUE`. */
function isInHeader(words: readonly string[], at: number): boolean {
  return [at - 1, at - 2].some(
    (name) =>
      /^[\w-]+:$/.test(words[name] ?? '') &&
      (SENT.test(words[name - 1] ?? '') || SENT_BY_CURL.test(words[name - 1] ?? '')),
  )
}

/** A word in front of the command for which variables are set. */
function isSetting(word: string): boolean {
  return ASSIGNMENT.test(word) || word.startsWith('-')
}

function findShownIn(line: string, { depth, isAlone }: Place): readonly string[] {
  const { commands, isRough } = readCommands(line)
  const [only] = commands
  const isOnly = commands.length === 1 && only?.redirects.length === 0
  return commands.flatMap(({ words, redirects }) => [
    ...findShown(words, { depth, isAlone: isAlone && isOnly, isRough }),
    ...redirects.map(({ target }) => target),
  ])
}
