import { parseCommand } from './parse-command.ts'
import { readRoughly } from './read-roughly.ts'
import type { SimpleCommand } from './parse-command.ts'
import { isInline, programOf, readScripts, runsRest, SHELLS } from './running-words.ts'

/** Programs that run the file which their first plain word names. */
const INTERPRETERS = /^(?:source|\.|python|python3|node|perl|ruby|php)$/
const ASSIGNMENT = /^\w+=/

/** Commands in commands: of what is deeper than anybody writes, every word may be what runs. */
const DEEPEST = 16

/**
 * The words of a command that say what runs: its program, and the script that an interpreter is given. Whoever is asked
 * has to see them, whatever they look like.
 */
export function runningWords(words: readonly string[]): readonly string[] {
  return findRunning(words, 0).filter((word) => NAME.test(word))
}

/** A name, and not a line, an assignment or an address, of which a secret may be a part. */
const NAME = /^(?!\w+=)(?!.*:\/\/)\S{1,255}$/

function findRunning(words: readonly string[], depth: number): readonly string[] {
  const [first, ...rest] = words
  if (first === undefined) return []
  if (depth > DEEPEST) return words.flatMap(wordsIn)
  const program = programOf(first)
  const isRest = runsRest(program)
  const plain = rest.filter((word) => !word.startsWith('-') && !(isRest && ASSIGNMENT.test(word)))
  if (isRest && !INTERPRETERS.test(program)) {
    // A number is for the program in front, as in `timeout 5 sh script`.
    const at = plain.findIndex((word) => !/^[\d.]+[smhd]?$/.test(word))
    return [first, ...(at === -1 ? [] : findRunning(plain.slice(at), depth + 1))]
  }
  const scripts = readScripts(words)
  if (scripts.length > 0) return [first, ...scripts.flatMap((script) => findRunningIn(script, depth + 1))]
  const hasScript = SHELLS.has(program) || (INTERPRETERS.test(program) && !isInline(program, rest))
  return hasScript ? [first, ...plain.slice(0, 1)] : [first]
}

/** The same for a line for a shell, and the files that it reads and writes. */
export function runningWordsOf(line: string): readonly string[] {
  const commands = commandsIn(line)
  return [...commands.flatMap(({ words }) => runningWords(words)), ...targetsOf(commands)]
}

function findRunningIn(line: string, depth: number): readonly string[] {
  const commands = commandsIn(line)
  return [...commands.flatMap(({ words }) => findRunning(words, depth)), ...targetsOf(commands)]
}

function targetsOf(commands: ReturnType<typeof commandsIn>): readonly string[] {
  return commands.flatMap(({ redirects }) =>
    redirects.flatMap(({ target }) => (target === '' ? [] : [target])),
  )
}

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/)
}

/** Every word of a command, and of the scripts that it gives to a shell. */
export function allWords(words: readonly string[], depth = 0): readonly string[] {
  if (depth > DEEPEST) return words.flatMap(wordsIn)
  return [...words, ...readScripts(words).flatMap((script) => allWordsOf(script, depth + 1))]
}

/** The same for a line for a shell. */
export function allWordsOf(line: string, depth = 0): readonly string[] {
  return commandsIn(line).flatMap(({ assignments, words }) => [...assignments, ...allWords(words, depth)])
}

/** A line that cannot be understood is read roughly: it must not hide what one that can be understood would show. */
function commandsIn(line: string): readonly Pick<SimpleCommand, 'assignments' | 'words' | 'redirects'>[] {
  const parsed = parseCommand(line)
  return parsed.ok ? parsed.commands : readRoughly(line)
}
