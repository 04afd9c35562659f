/** The parts of a line: a variable, a sign that is meant as itself, and any other. No two fit at the same place. */
const VARIABLE = String.raw`\$\([^()]*\)|\$\{[^{}]*\}|\$[^({]`
const ASSIGNMENT = new RegExp(
  String.raw`^(?:(?:export|override|private)\s+)*((?:${VARIABLE}|[^\s:#=$?+!])+)\s*(?::{1,3}|[?+!])?=(.*)$`,
)
const TARGETS = new RegExp(String.raw`^((?:${VARIABLE}|\\.|[^:$\\])*):`)
/** What a recipe may follow; behind a variable, even for some targets, make reads a line with a tab like any other. */
const RULE = /^[^:=]+:[^=;]*(?:;|$)/
const NAMES_ONLY = /^(?:vpath|export|unexport|undefine)\b/
const CONDITION = /^(?:else|endif|ifn?eq|ifn?def)\b/
/** A backslash at the end of a line, unless another one takes it. */
const CONTINUED = /(?<!\\)((?:\\\\)*)\\\r?\n/g
/** More than the targets of any rule; more ways to read them than that are not tried. */
const MOST_READINGS = 1_000
/** Readings and their characters, in all: variables that name each other twice double at each of them, also if they are empty. */
const MOST_WORK = 1_000_000

/**
 * Whether a rule of a makefile could make the makefile, which make does before anything else. What cannot be read counts
 * as one that does.
 */
export function isRemadeByRule(file: string, text: string): boolean {
  if (text.includes('.RECIPEPREFIX')) return true
  const values = new Map<string, string[]>()
  const targets = new Set<string>()
  let isInRule = false
  for (const whole of text.replaceAll(CONTINUED, '$1 ').split(/\r?\n/)) {
    if (isInRule && whole.startsWith('\t')) continue
    const line = whole.replace(/(?<!\\)#.*/, '').trim()
    if (line === '' || CONDITION.test(line)) continue
    const [, name, value = ''] = ASSIGNMENT.exec(line) ?? []
    if (name !== undefined) {
      const others = values.get(name)
      if (others === undefined) values.set(name, [value.trim()])
      else others.push(value.trim())
    }
    isInRule = name === undefined && RULE.test(line)
    if (name !== undefined || (!line.includes(':') && (!line.includes('$') || NAMES_ONLY.test(line))))
      continue
    const [, read] = TARGETS.exec(line) ?? []
    // A variable may hold the colon too.
    if (read === undefined) return true
    targets.add(read)
  }
  const reader = createReader(values)
  return [...targets].some((words) => reader(words)?.some((word) => canBe(word, file)) ?? true)
}

/** Reads texts with variables: all words that they can have; null if these are unknown. */
function createReader(values: ReadonlyMap<string, readonly string[]>) {
  let left = MOST_WORK
  const readAll = (text: string, within: readonly string[]): readonly string[] | null => {
    let readings: readonly string[] = ['']
    for (const part of text.match(PARTS) ?? []) {
      const meant = part.startsWith('$') ? readOne(part, within) : [part]
      if (meant === null || meant.length * readings.length > MOST_READINGS) return null
      readings = readings.flatMap((before) => meant.map((one) => before + one))
      left -= readings.reduce((sum, one) => sum + one.length + 1, 0)
      if (left < 0) return null
    }
    return readings
  }
  const readOne = (part: string, within: readonly string[]): readonly string[] | null => {
    if (part === '$$') return ['$']
    const [, name = '', from, to = ''] =
      /^\$[({]?([^\s$:=(){}]+?)(?::([^$=]*)=([^$=]*))?[)}]?$/.exec(part) ?? []
    const given = within.includes(name) ? undefined : values.get(name)
    const found = given?.map((value) => readAll(value, [...within, name]))
    if (found === undefined || found.includes(null)) return null
    const texts = found.flatMap((one) => one ?? [])
    return from === undefined ? texts : texts.map((one) => wordsOf(one).map(replace(from, to)).join(' '))
  }
  return (text: string): readonly string[] | null => {
    const readings = text.includes('$') ? readAll(text, []) : [text]
    return readings?.flatMap(wordsOf) ?? null
  }
}

const PARTS = new RegExp(String.raw`${VARIABLE}|[^$]+|\$`, 'g')

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

/** As make replaces the ends of words, or what stands around a percent sign. */
function replace(from: string, to: string): (word: string) => string {
  const [start = '', end] = from.includes('%') ? from.split('%', 2) : ['', from]
  return (word) => {
    if (word.length < start.length + (end ?? '').length) return word
    if (!word.startsWith(start) || !word.endsWith(end ?? '')) return word
    const stem = word.slice(start.length, word.length - (end ?? '').length)
    return from.includes('%') ? to.replace('%', () => stem) : stem + to
  }
}

/** Whether a target may be a file: it can have signs of a pattern of make or of the shell. */
function canBe(target: string, file: string): boolean {
  const [plain = ''] = target
    .replaceAll('\\', '')
    .replace(/^(?:\.\/+)+/, '')
    .split(':')
  const [start, stop] = [plain.indexOf('['), plain.lastIndexOf(']')]
  const isSet = start !== -1 && start < stop
  const parts = (isSet ? `${plain.slice(0, start)}*${plain.slice(stop + 1)}` : plain)
    .replace(/&$/, '')
    .split(/[*%]+/)
  const match = new RegExp(`^${parts.map(escaped).join('.*')}$`, 's')
  return parts.length > 8 || match.test(file)
}

function escaped(part: string): string {
  return part.replaceAll(/[^\w?]/g, String.raw`\$&`).replaceAll('?', '.')
}
