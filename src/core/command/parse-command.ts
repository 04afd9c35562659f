import { SUSPICIOUS } from '../text/display/hidden.ts'
import { readWord } from './read-word.ts'

/** A redirection of a command's input or output. */
export interface Redirect {
  readonly operator: '<' | '>' | '>>' | '<>' | '>|' | '<&' | '>&'
  readonly target: string
}

/** One program with its arguments, as a shell would start it. */
export interface SimpleCommand {
  /** Variables set only for this program, such as `A=1`. */
  readonly assignments: readonly string[]
  readonly words: readonly string[]
  /** Those of the words that a shell may expand to others, through wildcards, a tilde or braces. */
  readonly patterns: readonly string[]
  readonly redirects: readonly Redirect[]
}

/** A parsed command line, or why its effect cannot be known. */
export type ParsedCommand =
  | {
      readonly ok: true
      readonly commands: readonly SimpleCommand[]
      /** A single program and its words: no variables, redirections or patterns, and nothing after it. */
      readonly isPlain: boolean
    }
  | { readonly ok: false; readonly why: string }

/** Words of a shell that are no programs. */
export const COMPOUND: ReadonlySet<string> = new Set(
  'if then else elif fi do done case esac while until for select function time coproc { } ! [[ ]]'.split(' '),
)

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/
/** Whitespace that a shell does not treat as a blank. */
const ODD_BLANK = /[^\S \t\n]/

/** Operators between words; longer ones come before their own prefixes. */
const OPERATOR = /&&|&>|&|\|\||\|&|\||;;|;&|[;\n()#]|<<|<\(|<>|<&|<|>\(|>>|>&|>\||>/y

type Failure = { readonly ok: false; readonly why: string }

type Building = { assignments: string[]; words: string[]; patterns: string[]; redirects: Redirect[] }

/**
 * Reads a command line as a POSIX shell does. Anything that depends on run time (variables, substitutions,
 * here-documents), on the shell, or on more grammar than simple commands need, is not guessed: the command counts as
 * not understood.
 */
export function parseCommand(text: string): ParsedCommand {
  if (SUSPICIOUS.test(text) || ODD_BLANK.test(text)) return fail('it contains invisible characters')
  const commands: SimpleCommand[] = []
  let current = begin()
  let isPlain = true
  /** Whether another command must follow, as after `&&`. */
  let isOwing = false

  const end = (): boolean => {
    if (isEmpty(current)) return false
    commands.push(current)
    current = begin()
    isOwing = false
    return true
  }

  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, at)) {
    const operator = readOperator(text, at)
    if (operator === null) {
      const word = readWord(text, at)
      if (!word.ok) return word
      at = word.end
      // A number right before a redirection is its file descriptor.
      if (/^\d+$/.test(word.raw) && /[<>]/.test(text[at] ?? '')) continue
      const isFirst = current.words.length === 0
      if (isFirst && COMPOUND.has(word.raw)) return fail(`${word.raw} makes it more than simple commands`)
      if (isFirst && ASSIGNMENT.test(word.raw)) {
        current.assignments.push(word.text)
        isPlain = false
        continue
      }
      if (isFirst && word.isPattern) return fail('which program it starts is known only when it runs')
      current.words.push(word.text)
      if (word.isPattern) current.patterns.push(word.text)
      isPlain &&= !word.isPattern
    } else if (operator === '#') at = endOfLine(text, at)
    else if (operator === '\n') {
      end()
      at += 1
    } else if (isSeparator(operator)) {
      if (!end()) return fail(`there is nothing before ${operator}`)
      isPlain &&= operator === ';'
      isOwing = operator !== ';' && operator !== '&'
      at += operator.length
    } else if (isRedirect(operator)) {
      const target = readWord(text, skipBlank(text, at + operator.length))
      if (!target.ok) return target
      if (target.raw === '') return fail(`there is nothing after ${operator}`)
      current.redirects.push({ operator, target: target.text })
      isPlain = false
      at = target.end
    } else return fail(`it uses ${operator}, which is not looked into`)
  }
  if (!end() && isOwing) return fail('it ends in the middle')
  if (commands.length === 0) return fail('it is empty')
  return { ok: true, commands, isPlain: isPlain && commands.length === 1 }
}

function fail(why: string): Failure {
  return { ok: false, why }
}

function begin(): Building {
  return { assignments: [], words: [], patterns: [], redirects: [] }
}

function isEmpty({ assignments, words, redirects }: Building): boolean {
  return assignments.length + words.length + redirects.length === 0
}

function readOperator(text: string, at: number): string | null {
  OPERATOR.lastIndex = at
  return OPERATOR.exec(text)?.[0] ?? null
}

function isSeparator(operator: string): operator is ';' | '&' | '&&' | '||' | '|' {
  return [';', '&', '&&', '||', '|'].includes(operator)
}

function isRedirect(operator: string): operator is Redirect['operator'] {
  return ['<', '>', '>>', '<>', '>|', '<&', '>&'].includes(operator)
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t' || text.startsWith('\\\n', at)) at += text[at] === '\\' ? 2 : 1
  return at
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
