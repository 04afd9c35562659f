import { parseCommand } from '../../../core/command/parse-command.ts'

/** One command of a script: the variables it sets, and its words; null if they depend on the shell that runs it. */
export interface ScriptPart {
  readonly text: string
  readonly variables: Readonly<Record<string, string>>
  readonly words: readonly string[] | null
}

/** Splits a script into its commands, however they are joined. Redirections and what a pipe leads to are left out. */
export function readScript(script: string): readonly ScriptPart[] {
  return splitScript(script).map(readPart)
}

const LONE_DOLLAR = /'[^']*'|\\.|\$(?=["\s]|$)/gs

function readPart(text: string): ScriptPart {
  // A dollar sign at the end of a word stands for itself, as in "\.test\.js$".
  const parsed = parseCommand(text.replaceAll(LONE_DOLLAR, (piece) => (piece === '$' ? '\\$' : piece)))
  const command = parsed.ok && parsed.commands.length === 1 ? parsed.commands[0] : undefined
  if (command === undefined) return { text, variables: {}, words: null }
  return { text, variables: readAssignments(command.assignments), words: command.words }
}

/** The variables that words such as `A=1` set. */
export function readAssignments(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word): [string, string] => {
      const at = word.indexOf('=')
      return [word.slice(0, at), word.slice(at + 1)]
    }),
  )
}

/** Quoted text, an escaped character, an operator, or any other character. */
const PIECE = /'[^']*'|"(?:[^"\\]|\\.)*"|\\.|&&|\|\||>&|&>|[;&|\n]|./gs
const OPERATORS: ReadonlySet<string> = new Set(['&&', '||', ';', '&', '|', '\n'])

function splitScript(script: string): readonly string[] {
  const parts: string[] = []
  let part = ''
  let isPiped = false
  const end = (): void => {
    if (part.trim() !== '' && !isPiped) parts.push(part.trim())
    part = ''
  }
  for (const [piece] of script.matchAll(PIECE)) {
    if (!OPERATORS.has(piece)) {
      part += piece
      continue
    }
    end()
    isPiped = piece === '|'
  }
  end()
  return parts
}
