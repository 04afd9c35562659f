import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { parseGlob } from '../../core/glob/glob.ts'
import type { Component } from '../../core/glob/glob.ts'
import { literalName } from '../../core/glob/walk.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import type { Claim, MovePath } from '../../core/tool.ts'

/** One of the alternatives that a pattern expands to. */
export type Alternative = readonly Component[]

/** The alternatives that begin with the same literal names, each without that prefix. */
export interface PatternGroup {
  /** Relative to the root; '' is the root. */
  readonly base: string
  readonly rests: readonly Alternative[]
}

/** What is wrong with the patterns, or null. Patterns that lead outside are left to the sandbox. */
export function findPatternFault(argument: string, patterns: readonly string[]): string | null {
  for (const [index, pattern] of patterns.entries()) {
    const where = `${argument}[${index}] ${JSON.stringify(pattern.slice(0, 200))}`
    if (pattern.startsWith('!'))
      return `${where} begins with "!", and patterns cannot exclude what others include; leave it out, or write \\! for the character`
    if (!pattern.isWellFormed() || pattern.includes('\0'))
      return `${where} contains half a character or a NUL`
    if (leadsOut(pattern)) continue
    const parsed = parseGlob(pattern)
    if (!parsed.ok) return `${where} cannot be understood: ${parsed.message}`
  }
  return null
}

/** A pattern that starts in the working folder of a call, as it is written from the root. */
export function movePattern(pattern: string, move: MovePath): string {
  if (leadsOut(pattern)) return pattern
  const folder = move('.')
  return folder === '.' ? pattern : `${folder.replaceAll(WILD, String.raw`\$&`)}/${pattern}`
}

/** Characters that mean something else in a pattern than in a path. */
const WILD = /[\\*?[\]{}!]/g

/** The folders that patterns name, for the sandbox to judge. */
export function claimPatterns(patterns: readonly string[]): readonly Claim[] {
  const folders = patterns.flatMap((pattern) =>
    leadsOut(pattern)
      ? [pattern]
      : parseAlternatives([pattern]).map((one) => literalStart(one.slice(0, -1)).join('/')),
  )
  return [...new Set(folders)].map((folder) => ({ path: folder === '' ? '.' : folder, intent: 'list' }))
}

/** The paths among patterns, which name exactly one file or folder that is to be changed. */
export function claimPlainPaths(patterns: readonly string[]): readonly Claim[] {
  const plain = patterns.flatMap((pattern) =>
    leadsOut(pattern)
      ? [pattern]
      : parseAlternatives([pattern]).flatMap((one) => {
          const names = literalStart(one)
          return names.length === one.length && names.length > 0 ? [names.join('/')] : []
        }),
  )
  return [...new Set(plain)].map((path) => ({ path, intent: 'write' }))
}

/** The alternatives of patterns that passed the check. */
export function parseAlternatives(patterns: readonly string[]): readonly Alternative[] {
  return patterns.flatMap((pattern) => {
    if (leadsOut(pattern)) throw notRelative(pattern)
    const parsed = parseGlob(pattern)
    return parsed.ok ? parsed.glob.alternatives : []
  })
}

/** The leading names of an alternative that have no wildcard. */
function literalStart(alternative: Alternative): readonly string[] {
  const names: string[] = []
  for (const component of alternative) {
    const name = literalName(component)
    if (name === null) break
    names.push(name)
  }
  return names
}

/** Groups alternatives by their literal prefix. */
export function groupByBase(alternatives: readonly Alternative[]): readonly PatternGroup[] {
  const groups = Map.groupBy(alternatives, (one) => literalStart(one).join('/'))
  return [...groups].map(([base, members]) => ({
    base,
    rests: members.map((one) => one.slice(literalStart(one).length)),
  }))
}

function leadsOut(pattern: string): boolean {
  return pattern.startsWith('/') || pattern.split(/[\\/]/).includes('..')
}

function notRelative(pattern: string): ToolFailure {
  const shown = sanitise(pattern.slice(0, 200), { oneLine: true })
  return failure('bad_args', `The pattern ${shown} does not start at the root.`, { pattern: shown }, [
    'Write it relative to the root, such as src/**/*.ts.',
  ])
}
