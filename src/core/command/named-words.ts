import { parseCommand } from './parse-command.ts'
import { readRoughly } from './read-roughly.ts'
import type { SimpleCommand } from './parse-command.ts'

/** Commands in commands: of what is deeper than anybody writes, every word may be what runs. */
export const DEEPEST = 16

/** The words of a text. */
export function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/)
}

/** The commands of a line. */
export interface CommandsRead {
  readonly commands: readonly Pick<SimpleCommand, 'assignments' | 'words' | 'redirects'>[]
  /** Whether the line could not be understood, so that quotes do not hold words together. */
  readonly isRough: boolean
}

/**
 * Reads the commands of a line. One that cannot be understood is read roughly: it must not hide what one that can be
 * understood would show.
 */
export function readCommands(line: string): CommandsRead {
  const parsed = parseCommand(line)
  return parsed.ok
    ? { commands: parsed.commands, isRough: false }
    : { commands: readRoughly(line), isRough: true }
}
