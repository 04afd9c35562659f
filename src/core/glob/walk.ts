import type { Component } from './parse.ts'
import { compileNameTest } from './glob.ts'
import type { GlobOptions } from './glob.ts'

/** How far a set of globs has matched along the names of a path. */
export interface GlobPlace {
  /** Whether one of them matches the path so far. */
  readonly isMatch: boolean
  /** Whether one of them may match something further down. */
  readonly isOpen: boolean
  readonly enter: (name: string) => GlobPlace
}

type Step = '**' | 'end' | ((name: string) => boolean)

/**
 * Follows globs name by name, so that a walk knows whether a folder can contain a match before entering it. Each glob
 * is given by its parsed components.
 */
export const startGlobs = (
  globs: readonly (readonly Component[])[],
  options: GlobOptions = {},
): GlobPlace => {
  const steps: Step[] = []
  const starts: number[] = []
  for (const components of globs) {
    starts.push(steps.length)
    for (const component of components)
      steps.push(component === '**' ? component : compileNameTest(component, options))
    steps.push('end')
  }
  const isLeftOut = (name: string): boolean => options.dot === false && name.startsWith('.')

  /** `**` may match no name at all, so a state before it is also a state after it. */
  const add = (to: Set<number>, at: number): void => {
    to.add(at)
    if (steps[at] === '**') add(to, at + 1)
  }

  const placeAt = (states: ReadonlySet<number>): GlobPlace => {
    let isMatch = false
    let isOpen = false
    for (const at of states) {
      if (steps[at] === 'end') isMatch = true
      else isOpen = true
    }
    const enter = (name: string): GlobPlace => {
      const next = new Set<number>()
      for (const at of states) {
        const step = steps[at]
        if (step === '**') {
          if (!isLeftOut(name)) add(next, at)
        } else if (typeof step === 'function' && step(name)) add(next, at + 1)
      }
      return placeAt(next)
    }
    return { isMatch, isOpen, enter }
  }

  const first = new Set<number>()
  for (const at of starts) add(first, at)
  return placeAt(first)
}

/** The literal name of a component without wildcards; otherwise null. */
export const literalName = (component: Component): string | null => {
  if (component === '**') return null
  let name = ''
  for (const token of component) {
    if (token.kind !== 'character') return null
    name += token.character
  }
  return name
}
