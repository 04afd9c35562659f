import { parsePattern } from './parse-pattern.ts'
import { isSafeToBacktrack } from './pattern-cost.ts'
import { createMachine } from './pattern-machine.ts'
import type { Matches } from './pattern-machine.ts'

export type { Matches } from './pattern-machine.ts'

const MAX_SOURCE = 4096

/** A compiled pattern, or what is wrong with it. */
export type Pattern =
  | { readonly ok: true; readonly matches: Matches; readonly engine: 'backtracking' | 'machine' }
  | { readonly ok: false; readonly message: string }

/**
 * Compiles a pattern so that no text can make it slow: the engine's own expressions if they are certain to be fast,
 * otherwise a machine that never backtracks. Patterns that neither can handle are rejected.
 */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_SOURCE) return refuse(`is longer than ${MAX_SOURCE} characters`)
  const expression = createExpression(source)
  if (typeof expression === 'string') return refuse(`is not a regular expression: ${expression}`)
  const node = parsePattern(source)
  if (node === null) return refuse('has groups nested too deep')
  if (isSafeToBacktrack(node)) return { ok: true, matches: matchWith(expression), engine: 'backtracking' }
  const matches = createMachine(node)
  if (typeof matches !== 'string') return { ok: true, matches, engine: 'machine' }
  return refuse(`${matches}, so the time it takes cannot be bounded; write it in another way`)
}

function refuse(message: string): Pattern {
  return { ok: false, message }
}

function createExpression(source: string): RegExp | string {
  try {
    return new RegExp(source, 'u')
  } catch (thrown) {
    return thrown instanceof Error
      ? thrown.message.replace(/^Invalid regular expression: /, '')
      : 'not accepted'
  }
}

function matchWith(expression: RegExp): Matches {
  return (text, run) => {
    run.steps += text.length >> 4
    try {
      return expression.test(text)
    } catch {
      // The engine ran out of space for backtracking on a text this long.
      run.halt = 'steps'
      return false
    }
  }
}
