import { compileGlob, parseGlob } from '../../core/glob/glob.ts'
import { isDestructive, plainWords } from '../../core/command/assess-command.ts'
import type { Command } from '../../core/tool.ts'
import type { GrantScope } from '../../core/grant.ts'
import { runsAnother } from '../../core/command/running-words.ts'

/** What grants check about a call. */
export interface GrantCall {
  readonly tool: string
  readonly argsDigest: string
  /** Every path it claims, resolved: relative to the root with forward slashes, or absolute; null if unknown. */
  readonly paths: readonly (string | null)[]
  /** What it would run, or null. */
  readonly command: Command | null
  /** Whether it asks for extra access, such as network: only a grant for its exact arguments covers that. */
  readonly isBeyond?: boolean
}

/** A call with the facts that are computed once for all grants. */
export interface PreparedCall extends GrantCall {
  /** The words of its command if a prefix may cover it: one plain program that neither destroys nor runs another. */
  readonly words: readonly string[] | null
}

/** A test for calls of the right tool. */
export type Cover = (call: PreparedCall) => boolean

/**
 * Computes what grants check. A prefix does not limit what the rest of a command may destroy or start, so commands
 * that do either have no words here.
 */
export function prepareCall(call: GrantCall): PreparedCall {
  const words = call.command === null ? null : plainWords(call.command)
  const isCoverable = words !== null && call.isBeyond !== true && !runsAnother(words) && !isDestructive(words)
  return { ...call, words: isCoverable ? words : null }
}

/** Compiles the test for a scope; an invalid scope covers nothing. */
export function compileCover(scope: GrantScope): Cover {
  switch (scope.kind) {
    case 'tool':
      return (call) => call.isBeyond !== true
    case 'arguments':
      return (call) => call.argsDigest === scope.digest
    case 'path':
      return coverPaths(scope.glob)
    case 'command':
      return (call) => coversWords(scope.words, call.words)
    case 'values':
      return () => false
  }
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

/** Compares word by word, so `git log` is not a prefix of `git logout`. */
function coversWords(prefix: readonly string[], words: readonly string[] | null): boolean {
  return words !== null && prefix.length > 0 && prefix.every((word, index) => words[index] === word)
}
