import type { Command, Risk } from '../tool.ts'
import { parseCommand } from './parse-command.ts'
import type { Redirect, SimpleCommand } from './parse-command.ts'
import { isDeclaration, programOf, readScripts, runsAnother } from './running-words.ts'
import { DESTROYERS } from './destroyers.ts'
import { isRedirectingVariable, setsRedirectingVariable } from './redirecting-variables.ts'

/** How risky a command is, and why, as the end of a sentence. */
export interface CommandRisk {
  readonly risk: Risk
  readonly why: string
}

/** Assesses a command; one that cannot be parsed is as risky as a destructive one. */
export function assessCommand(command: Command): CommandRisk {
  if (command.kind === 'words') {
    const isRedirected = command.variables?.some(isRedirectingVariable) === true
    return riskFor([isRedirected ? REDIRECTED : whyDestructive(command.words)])
  }
  const parsed = parseCommand(command.text)
  if (!parsed.ok) return { risk: 'High', why: `cannot be judged: ${parsed.why}` }
  return riskFor(parsed.commands.map(whyDestructiveCommand))
}

function riskFor(findings: readonly (string | null)[]): CommandRisk {
  const why = findings.find((finding) => finding !== null)
  return why === undefined ? { risk: 'Medium', why: 'starts a program' } : { risk: 'High', why }
}

/** The words of a command that is a single program and nothing else, or null. */
export function plainWords(command: Command): readonly string[] | null {
  if (command.kind === 'words') {
    const isAltered = command.isAltered === true || (command.variables ?? []).length > 0
    return isAltered ? null : command.words
  }
  const parsed = parseCommand(command.text)
  return parsed.ok && parsed.isPlain ? (parsed.commands[0]?.words ?? null) : null
}

/** A command that runs another one is checked word by word, up to this many. */
const MAX_WORDS = 200
const MAX_NESTING = 4

const REDIRECTED = 'sets a variable that changes what actually runs'
const DEVICE = /^\/dev\/(?:null|stdout|stderr|tty)$/
const DESCRIPTOR = /^(?:-|\d+-?)$/

/** What a command may destroy, as the end of a sentence, or null. If in doubt, it counts as destructive. */
export function whyDestructive(words: readonly string[]): string | null {
  return findDestruction(words, 0)
}

/** The same for a command with its redirections and variables. */
function whyDestructiveCommand(command: SimpleCommand): string | null {
  return findInCommand(command, 0)
}

function findInCommand({ assignments, words, redirects }: SimpleCommand, depth: number): string | null {
  if (assignments.some(setsRedirectingVariable)) return REDIRECTED
  return findDestruction(words, depth) ?? findOverwriting(redirects)
}

function findDestruction(words: readonly string[], depth: number): string | null {
  const own = judgeOne(words)
  if (own !== null) return own
  const isOther = runsAnother(words)
  // `env` and `sudo` take variables among their words, and `export` sets them for what follows.
  if ((isOther || isDeclaration(words)) && words.some(setsRedirectingVariable)) return REDIRECTED
  if (!isOther) return null
  if (words.length > MAX_WORDS) return 'is too long to judge'
  // Which word begins the inner command depends on options, so every candidate is checked.
  let scripts: readonly string[] = []
  for (let from = 0; from < words.length; from++) {
    const rest = words.slice(from)
    const inner = judgeOne(rest)
    if (inner !== null) return inner
    // Whatever follows the first shell is its script or the script's arguments.
    if (scripts.length === 0) scripts = readScripts(rest)
  }
  return findInScripts(scripts, depth + 1)
}

function findInScripts(scripts: readonly string[], depth: number): string | null {
  for (const script of scripts) {
    const parsed = parseCommand(script)
    if (!parsed.ok || depth > MAX_NESTING) return 'runs a script that cannot be understood'
    for (const command of parsed.commands) {
      const found = findInCommand(command, depth)
      if (found !== null) return found
    }
  }
  return null
}

function judgeOne(words: readonly string[]): string | null {
  const [first, ...rest] = words
  if (first === undefined) return null
  const program = programOf(first)
  const judge = DESTROYERS.get(program.startsWith('mkfs') ? 'mkfs' : program)
  return judge === undefined ? null : judge(rest)
}

function findOverwriting(redirects: readonly Redirect[]): string | null {
  const over = redirects.find(({ operator, target }) => {
    if (DEVICE.test(target)) return false
    return operator === '>' || operator === '>|' || (operator === '>&' && !DESCRIPTOR.test(target))
  })
  return over === undefined ? null : `overwrites ${over.target}`
}
