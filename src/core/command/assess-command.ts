import type { Risk } from '../tool.ts'
import type { Command } from './command.ts'
import { whyDestructive, whyDestructiveCommand } from './destructive.ts'
import { parseCommand } from './parse-command.ts'

/** How risky a command is, and why, as the end of a sentence. */
export interface CommandRisk {
  readonly risk: Risk
  readonly why: string
}

/** What cannot be understood is as risky as what destroys. */
export function assessCommand(command: Command): CommandRisk {
  if (command.kind === 'words') return riskFor([whyDestructive(command.words)])
  const parsed = parseCommand(command.text)
  if (!parsed.ok) return { risk: 'High', why: `cannot be judged: ${parsed.why}` }
  return riskFor(parsed.commands.map(whyDestructiveCommand))
}

function riskFor(findings: readonly (string | null)[]): CommandRisk {
  const why = findings.find((finding) => finding !== null)
  return why === undefined ? { risk: 'Medium', why: 'starts a program' } : { risk: 'High', why }
}

/** The words of a command that is one program and nothing else, or null. */
export function plainWords(command: Command): readonly string[] | null {
  if (command.kind === 'words') return command.isAltered === true ? null : command.words
  const parsed = parseCommand(command.text)
  return parsed.ok && parsed.isPlain ? (parsed.commands[0]?.words ?? null) : null
}
