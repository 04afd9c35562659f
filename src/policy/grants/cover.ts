import { compileGlob, parseGlob } from '../../core/glob/glob.ts'
import { plainWords } from '../../core/command/assess-command.ts'
import { findHarmlessRow, isHarmless } from '../../core/command/harmless/harmless-commands.ts'
import type { Command } from '../../core/tool.ts'
import type { GrantedStart, GrantScope } from '../../core/grant.ts'

/** What grants check about a call. */
export interface GrantCall {
  readonly tool: string
  /** The version that a grant is bound to; absent for tools that are part of this program. */
  readonly version?: string
  readonly argsDigest: string
  /** Every path it claims, resolved: relative to the root with forward slashes, or absolute; null if unknown, or if it is a folder. */
  readonly paths: readonly (string | null)[]
  /** What it would run, or null. */
  readonly command: Command | null
  /** The origin of the web it goes to; only a grant for it or for exact arguments covers that. Absent if it goes nowhere. */
  readonly origin?: string
  /** Whether it asks for extra access, such as network: only a grant for its exact arguments covers that. */
  readonly isBeyond?: boolean
  /** What confines its command, in words, if that is less than a sandbox and a layer: only a grant that was given so covers it. */
  readonly confined?: string
  /** The calls that a grant for the whole tool covers, and whether this is one; absent if it covers all. */
  readonly usual?: UsualCall
}

/** What a tool says about the calls that a grant for all of it covers. */
export interface UsualCall {
  readonly says: string
  readonly isIncluded: boolean
  /** What this call would start, to which such a grant is bound; null if that is unknown, absent if it is not bound. */
  readonly start?: GrantedStart | null
}

/** A call with the facts that are computed once for all grants. */
export interface PreparedCall extends GrantCall {
  /** The words of its command if they say all of it: one plain program, with no more access than every command has. */
  readonly words: readonly string[] | null
  /** Whether the table of harmless commands understands every word, so that a prefix may cover it. */
  readonly isHarmless: boolean
}

/**
 * The widest that may be granted: the whole tool, bound to what the call would start if its tool asks for that, or the
 * origin of a call that goes to the web.
 */
export function toolScope({ usual, origin }: Pick<GrantCall, 'usual' | 'origin'>): GrantScope {
  if (origin !== undefined) return { kind: 'origin', origin }
  return usual?.start ? { kind: 'tool', start: usual.start } : { kind: 'tool' }
}

/** The narrowest: exactly these arguments, bound to what the call would start unless they say the command themselves. */
export function argumentsScope(call: GrantCall, digest = call.argsDigest): GrantScope {
  const start = startOfArguments(call)
  return { kind: 'arguments', digest, ...(start ? { start } : {}) }
}

function startOfArguments({ command, usual }: GrantCall): UsualCall['start'] {
  return command === null ? usual?.start : undefined
}

/** A test for calls of the right tool. */
export type Cover = (call: PreparedCall) => boolean

/** Computes what grants check. Variables, input, another folder and extra access are more than the words of a command say. */
export function prepareCall(call: GrantCall): PreparedCall {
  const words = call.command === null || call.isBeyond === true ? null : plainWords(call.command)
  return { ...call, words, isHarmless: words !== null && isHarmless(words) }
}

/** Compiles the test for a scope; an invalid scope covers nothing. */
export function compileCover(scope: GrantScope): Cover {
  switch (scope.kind) {
    case 'tool':
      return (call) =>
        call.isBeyond !== true &&
        call.origin === undefined &&
        call.usual?.isIncluded !== false &&
        isSameStart(scope, call.usual?.start)
    case 'arguments':
      return (call) => call.argsDigest === scope.digest && isSameStart(scope, startOfArguments(call))
    case 'path':
      return coverPaths(scope.glob)
    case 'command':
      return coverWords(scope.words)
    case 'origin':
      return (call) => call.origin === scope.origin
    case 'values':
      return () => false
  }
}

/** A grant that says what is started covers nothing else, and one that does not say it covers no call that is bound to it. */
function isSameStart({ start }: { readonly start?: GrantedStart }, now: UsualCall['start']): boolean {
  if (now === undefined) return start === undefined
  return now !== null && now.digest === start?.digest
}

/** All paths must match, and there must be at least one. Wildcards do not match names that begin with a dot. */
function coverPaths(pattern: string): Cover {
  const parsed = parseGlob(pattern)
  if (!parsed.ok) return () => false
  const matches = compileGlob(parsed.glob, { dot: false })
  const isAbsolute = pattern.startsWith('/')
  const covers = (path: string | null): boolean =>
    path !== null && path.startsWith('/') === isAbsolute && !path.split('/').includes('..') && matches(path)
  return (call) => call.paths.length > 0 && call.paths.every(covers)
}

/**
 * A prefix that names a row of the table of harmless commands covers what the row understands; any other covers only
 * exactly its own words. Words are compared whole, so `git log` is not a prefix of `git logout`.
 */
function coverWords(prefix: readonly string[]): Cover {
  const isRow = findHarmlessRow(prefix) !== null
  return ({ words, isHarmless: isUnderstood }) =>
    words !== null &&
    prefix.length > 0 &&
    (words.length === prefix.length || (isRow && isUnderstood)) &&
    prefix.every((word, index) => words[index] === word)
}
