import { holds, isWordCharacter } from './character-set.ts'
import type { CharacterSet } from './character-set.ts'
import { MAX_STEPS } from '../check.ts'
import type { Run } from '../check.ts'
import { beginsAtStart } from './pattern-cost.ts'
import type { Assertion, PatternNode } from './parse-pattern.ts'

/** Tells whether a text matches; the work counts toward the run's limit, and the run stops if it costs too much. */
export type Matches = (text: string, run: Run) => boolean

/** One instruction; unless it jumps, the next one follows. */
type Instruction =
  | { readonly op: 'take'; readonly set: CharacterSet }
  | { readonly op: 'assert'; readonly what: Assertion }
  | { readonly op: 'fork' | 'jump'; to: number }
  | { readonly op: 'match' }

const MAX_INSTRUCTIONS = 1000
const VISITS_PER_STEP = 4
const NONE = -1

/**
 * Follows all paths through the pattern at once, so that time grows only linearly with the text and with the pattern.
 * Returns a string that says why if a pattern cannot be matched this way.
 */
export function createMachine(pattern: PatternNode): Matches | string {
  const program = assemble(pattern)
  if (typeof program === 'string') return program
  const isAnchored = beginsAtStart(pattern)
  const places = createPlaces(program)
  return (text, run) => {
    const isMatch = follow(text, places, isAnchored, (MAX_STEPS - run.steps) * VISITS_PER_STEP)
    run.steps += Math.ceil(places.visits() / VISITS_PER_STEP)
    if (isMatch === null) run.halt = 'steps'
    return isMatch === true
  }
}

/** Null if it would take more visits than allowed. */
function follow(text: string, places: Places, isAnchored: boolean, allowed: number): boolean | null {
  let next = text.codePointAt(0) ?? NONE
  let at = 0
  places.begin()
  if (places.enter(0, NONE, next)) return true
  while (next !== NONE) {
    if (isAnchored && places.count() === 0) return false
    if (places.visits() > allowed) return null
    const current = next
    at += current > 0xffff ? 2 : 1
    next = text.codePointAt(at) ?? NONE
    if (places.advance(current, next)) return true
    if (!isAnchored && places.enter(0, current, next)) return true
  }
  return false
}

/** The active positions of a match in the program; created once and reused for every text. */
interface Places {
  readonly begin: () => void
  readonly count: () => number
  /** How many instructions have been visited since the start of the text. */
  readonly visits: () => number
  /**
   * Continues from an instruction as far as possible without consuming a character; true if the pattern has matched.
   */
  readonly enter: (start: number, previous: number, next: number) => boolean
  /** Consumes one character at all active positions. */
  readonly advance: (current: number, next: number) => boolean
}

function createPlaces(program: readonly Instruction[]): Places {
  /** The round in which each instruction was last visited. */
  const visited = new Uint32Array(program.length)
  const open = new Uint16Array(2 * program.length + 2)
  let waiting = new Uint16Array(program.length)
  let arriving = new Uint16Array(program.length)
  let count = 0
  let round = 0

  let visits = 0

  return { begin, count: () => count, visits: () => visits, enter, advance }

  function begin(): void {
    visited.fill(0)
    round = 1
    visits = 0
    count = 0
  }

  function enter(start: number, previous: number, next: number): boolean {
    let top = 0
    open[top++] = start
    while (top > 0) {
      const index = open[--top] ?? 0
      if (visited[index] === round) continue
      visited[index] = round
      visits += 1
      const instruction = program[index]
      if (instruction === undefined || instruction.op === 'match') return true
      if (instruction.op === 'take') waiting[count++] = index
      else if (instruction.op === 'assert') {
        if (isAt(instruction.what, previous, next)) open[top++] = index + 1
      } else {
        open[top++] = instruction.to
        if (instruction.op === 'fork') open[top++] = index + 1
      }
    }
    return false
  }

  function advance(current: number, next: number): boolean {
    const former = waiting
    const formerCount = count
    waiting = arriving
    arriving = former
    round += 1
    visits += formerCount
    count = 0
    for (let place = 0; place < formerCount; place += 1) {
      const index = former[place] ?? 0
      const instruction = program[index]
      if (instruction?.op !== 'take' || !holds(instruction.set, current)) continue
      if (enter(index + 1, current, next)) return true
    }
    return false
  }
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
