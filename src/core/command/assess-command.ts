import type { Command, Risk } from '../tool.ts'
import { parseCommand } from './parse-command.ts'
import type { Redirect, SimpleCommand } from './parse-command.ts'
import { isDeclaration, programOf, readScripts, readsScript, runsAnother } from './running-words.ts'
import { isHarmless } from './harmless/harmless-commands.ts'
import { DESTROYERS, OUT_OF_REACH } from './destroyers.ts'
import { isRedirectingVariable, setsRedirectingVariable } from './redirecting-variables.ts'

/** How risky a command is, and why, as the end of a sentence. */
export interface CommandRisk {
  readonly risk: Risk
  readonly why: string
}

/**
 * Assesses what a command could do wrong, given what its sandbox lets through. In a sandbox a command that only looks is
 * harmless, and processes, devices and other machines are out of its reach; the files of the workspace are not, and undo
 * does not bring back what a command destroys there. One that cannot be parsed is as risky as a destructive one.
 */
export function assessCommand(command: Command, isSandboxed: boolean): CommandRisk {
  if (command.kind === 'words') {
    if (command.variables?.some(isRedirectingVariable) === true) return { risk: 'High', why: REDIRECTED }
    const isLooking = command.isAltered !== true && isHarmless(command.words)
    const findings = [whyDestructive(command.words, isSandboxed), judgeInput(command, isSandboxed)]
    return riskFor(findings, isLooking, isSandboxed)
  }
  const parsed = parseCommand(command.text)
  if (!parsed.ok) return { risk: 'High', why: `cannot be judged: ${parsed.why}` }
  const { commands } = parsed
  return riskFor(
    commands.map((each) => findInCommand(each, { depth: 0, isSandboxed })),
    commands.every(isJustLooking),
    isSandboxed,
  )
}

function riskFor(
  findings: readonly (string | null)[],
  isLooking: boolean,
  isSandboxed: boolean,
): CommandRisk {
  const why = findings.find((finding) => finding !== null)
  if (why !== undefined) return { risk: 'High', why }
  if (isLooking) return { risk: isSandboxed ? 'Low' : 'Medium', why: 'starts a program that just looks' }
  return isSandboxed
    ? { risk: 'Medium', why: 'starts a program' }
    : { risk: 'High', why: 'starts a program without a sandbox' }
}

function isJustLooking({ assignments, words, patterns, redirects }: SimpleCommand): boolean {
  return assignments.length === 0 && isHarmless(words, patterns) && redirects.every(isKeptInside)
}

/** A redirection that neither reads nor writes a file. */
function isKeptInside({ operator, target }: Redirect): boolean {
  return DEVICE.test(target) || ((operator === '>&' || operator === '<&') && DESCRIPTOR.test(target))
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
export function whyDestructive(words: readonly string[], isSandboxed: boolean): string | null {
  return findDestruction(words, { depth: 0, isSandboxed })
}

/** What a shell would destroy by what it reads. */
function judgeInput({ words, input = '' }: WordsCommand, isSandboxed: boolean): string | null {
  if (input.trim() === '' || !readsScript(words)) return null
  return findInScripts([input], { depth: 1, isSandboxed })
}

type WordsCommand = Extract<Command, { kind: 'words' }>

/** How deep in scripts a command stands, and whether it is sandboxed. */
interface Place {
  readonly depth: number
  readonly isSandboxed: boolean
}

/** The same for a command with its redirections and variables. */
function findInCommand({ assignments, words, redirects }: SimpleCommand, place: Place): string | null {
  if (assignments.some(setsRedirectingVariable)) return REDIRECTED
  return findDestruction(words, place) ?? findOverwriting(redirects)
}

function findDestruction(words: readonly string[], place: Place): string | null {
  const own = judgeOne(words, place)
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
    const inner = judgeOne(rest, place)
    if (inner !== null) return inner
    // Whatever follows the first shell is its script or the script's arguments.
    if (scripts.length === 0) scripts = readScripts(rest)
  }
  return findInScripts(scripts, { ...place, depth: place.depth + 1 })
}

function findInScripts(scripts: readonly string[], place: Place): string | null {
  for (const script of scripts) {
    const parsed = parseCommand(script)
    if (!parsed.ok || place.depth > MAX_NESTING) return 'runs a script that cannot be understood'
    for (const command of parsed.commands) {
      const found = findInCommand(command, place)
      if (found !== null) return found
    }
  }
  return null
}

function judgeOne(words: readonly string[], { isSandboxed }: Place): string | null {
  const [first, ...rest] = words
  if (first === undefined) return null
  const program = programOf(first)
  const name = program.startsWith('mkfs') ? 'mkfs' : program
  const inReach = DESTROYERS.get(name)?.(rest) ?? null
  return inReach ?? (isSandboxed ? null : (OUT_OF_REACH.get(name)?.(rest) ?? null))
}

function findOverwriting(redirects: readonly Redirect[]): string | null {
  const over = redirects.find(({ operator, target }) => {
    if (DEVICE.test(target)) return false
    return operator === '>' || operator === '>|' || (operator === '>&' && !DESCRIPTOR.test(target))
  })
  return over === undefined ? null : `overwrites ${over.target}`
}
