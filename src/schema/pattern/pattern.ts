import { parsePattern } from './parse-pattern.ts'
import { isSafeToBacktrack } from './pattern-cost.ts'
import { createMachine } from './pattern-machine.ts'
import type { Matches } from './pattern-machine.ts'

export type { Matches } from './pattern-machine.ts'

const MAX_SOURCE = 4096

/** A pattern ready for use, or what is wrong with it. */
export type Pattern =
  | { readonly ok: true; readonly matches: Matches; readonly engine: 'backtracking' | 'machine' }
  | { readonly ok: false; readonly message: string }

/**
 * Compiles a pattern so that no text can make it take long: the engine's own expressions are used where they are sure to
 * be quick, a machine that never goes back everywhere else. What neither can do is refused.
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
      // The engine has no room left to remember its way through a text this long.
      run.halt = 'steps'
      return false
    }
  }
}
