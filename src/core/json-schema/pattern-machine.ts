import { holds, isWordCharacter } from './character-set.ts'
import type { CharacterSet } from './character-set.ts'
import { MAX_STEPS } from './check.ts'
import type { Run } from './check.ts'
import { beginsAtStart } from './pattern-cost.ts'
import type { Assertion, PatternNode } from './pattern-node.ts'

/** Says whether a text matches; the run pays for the work and is halted where it costs too much. */
export type Matches = (text: string, run: Run) => boolean

/** One instruction; where `to` is absent the next one follows. */
type Instruction =
  | { readonly op: 'take'; readonly set: CharacterSet }
  | { readonly op: 'assert'; readonly what: Assertion }
  | { readonly op: 'fork' | 'jump'; to: number }
  | { readonly op: 'match' }

const MAX_INSTRUCTIONS = 1000
const NONE = -1

/**
 * Matches by following all ways through the pattern at once, so that time grows with the text and the pattern and never
 * faster. Text is the reason if the pattern cannot be matched like this.
 */
export function createMachine(pattern: PatternNode): Matches | string {
  const program = assemble(pattern)
  if (typeof program === 'string') return program
  const isAnchored = beginsAtStart(pattern)
  return (text, run) => {
    let threads: number[] = []
    let marks = new Set<number>()
    let previous = NONE
    let next = text.codePointAt(0) ?? NONE
    let at = 0
    if (enter(program, 0, threads, marks, previous, next)) return true
    while (next !== NONE) {
      if (isAnchored && threads.length === 0) return false
      run.steps += 1 + (marks.size >> 2)
      if (run.steps > MAX_STEPS) {
        run.halt = 'steps'
        return false
      }
      const current = next
      const arrived = threads.filter((index) => {
        const instruction = program[index]
        return instruction?.op === 'take' && holds(instruction.set, current)
      })
      at += current > 0xffff ? 2 : 1
      previous = current
      next = text.codePointAt(at) ?? NONE
      threads = []
      marks = new Set()
      for (const index of arrived) if (enter(program, index + 1, threads, marks, previous, next)) return true
      if (!isAnchored && enter(program, 0, threads, marks, previous, next)) return true
    }
    return false
  }
}

/** Goes on from an instruction as far as possible without taking a character; true where the pattern has matched. */
function enter(
  program: readonly Instruction[],
  start: number,
  threads: number[],
  marks: Set<number>,
  previous: number,
  next: number,
): boolean {
  const open = [start]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (marks.has(index)) continue
    marks.add(index)
    const instruction = program[index]
    if (instruction === undefined || instruction.op === 'match') return true
    if (instruction.op === 'take') threads.push(index)
    else if (instruction.op === 'assert') {
      if (isAt(instruction.what, previous, next)) open.push(index + 1)
    } else {
      open.push(instruction.to)
      if (instruction.op === 'fork') open.push(index + 1)
    }
  }
  return false
}

function isAt(what: Assertion, previous: number, next: number): boolean {
  if (what === 'start') return previous === NONE
  if (what === 'end') return next === NONE
  const isEdge = isWordCharacter(previous) !== isWordCharacter(next)
  return isEdge === (what === 'word edge')
}

function assemble(pattern: PatternNode): readonly Instruction[] | string {
  const program: Instruction[] = []
  let foreign: string | null = null
  emit(pattern)
  program.push({ op: 'match' })
  if (foreign !== null) return `has ${String(foreign)}`
  return program.length > MAX_INSTRUCTIONS ? 'unfolds to too many steps' : program

  function emit(node: PatternNode): void {
    if (program.length > MAX_INSTRUCTIONS) return
    if (node.kind === 'set') program.push({ op: 'take', set: node.set })
    else if (node.kind === 'assertion') program.push({ op: 'assert', what: node.what })
    else if (node.kind === 'sequence') for (const part of node.parts) emit(part)
    else if (node.kind === 'choice') emitChoice(node.options)
    else if (node.kind === 'repeat') emitRepeat(node.body, node.min, node.max)
    else foreign = node.kind === 'look' ? 'a lookahead or lookbehind' : node.what
  }

  function emitChoice(options: readonly PatternNode[]): void {
    const exits: { to: number }[] = []
    for (const [index, option] of options.entries()) {
      const fork = index < options.length - 1 ? push('fork') : null
      emit(option)
      if (fork === null) continue
      exits.push(push('jump'))
      fork.to = program.length
    }
    for (const exit of exits) exit.to = program.length
  }

  function emitRepeat(body: PatternNode, min: number, max: number): void {
    for (let count = 0; count < min && program.length <= MAX_INSTRUCTIONS; count += 1) emit(body)
    if (max === Infinity) {
      const loop = program.length
      const fork = push('fork')
      emit(body)
      push('jump').to = loop
      fork.to = program.length
      return
    }
    const forks: { to: number }[] = []
    for (let count = min; count < max && program.length <= MAX_INSTRUCTIONS; count += 1) {
      forks.push(push('fork'))
      emit(body)
    }
    for (const fork of forks) fork.to = program.length
  }

  function push(op: 'fork' | 'jump'): { to: number } {
    const instruction = { op, to: 0 }
    program.push(instruction)
    return instruction
  }
}
