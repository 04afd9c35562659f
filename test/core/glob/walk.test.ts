import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGlobs, parseGlob } from '../../../src/core/glob/glob.ts'
import type { Glob } from '../../../src/core/glob/glob.ts'
import { literalName, startGlobs } from '../../../src/core/glob/walk.ts'
import type { GlobPlace } from '../../../src/core/glob/walk.ts'

const NAMES = ['a', 'b', 'ab', '.a', 'a.b', 'x']
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 })
const pattern = fc
  .array(fc.constantFrom('a', 'b', '*', '**', '?', '[ab]*', '.a', '.*', '{a,x/b}', '*.b'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((names) => names.join('/'))

function parse(text: string): Glob {
  const parsed = parseGlob(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.glob
}

function follow(globs: readonly Glob[], names: readonly string[], dot: boolean): GlobPlace {
  const start = startGlobs(
    globs.flatMap(({ alternatives }) => alternatives),
    { dot },
  )
  let place = start
  for (const name of names) place = place.enter(name)
  return place
}

function isOpen(text: string, folder: string, dot = true): boolean {
  return follow([parse(text)], folder.split('/'), dot).isOpen
}

function last(text: string): string | null {
  return literalName(parse(text).alternatives[0]?.at(-1) ?? '**')
}

describe('following globs name by name', () => {
  it('matches exactly what the globs match', () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 3 }), path, fc.boolean(), (patterns, names, dot) => {
        const globs = patterns.map(parse)
        const isMatch = compileGlobs(globs, { dot })(names.join('/')) !== undefined
        expect(follow(globs, names, dot).isMatch).toBe(isMatch)
      }),
    )
  })

  it('never closes a folder that holds a match', () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 3 }), path, fc.boolean(), (patterns, names, dot) => {
        const globs = patterns.map(parse)
        if (!follow(globs, names, dot).isMatch) return
        for (let depth = 0; depth < names.length; depth++) {
          expect(follow(globs, names.slice(0, depth), dot).isOpen).toBe(true)
        }
      }),
    )
  })

  it('closes folders that hold none', () => {
    expect(isOpen('src/*.ts', 'src')).toBe(true)
    expect(isOpen('src/*.ts', 'lib')).toBe(false)
    expect(isOpen('src/*.ts', 'src/deep')).toBe(false)
    expect(isOpen('*/test/*.ts', 'a/test')).toBe(true)
    expect(isOpen('*/test/*.ts', 'a/src')).toBe(false)
    expect(isOpen('**/x', '.git/a')).toBe(true)
    expect(isOpen('**/x', '.git/a', false)).toBe(false)
    expect(isOpen('**/.git/x', 'a/.git', false)).toBe(true)
  })
})

describe('the name that a component stands for', () => {
  it('is there only without wildcards', () => {
    expect(['a', 'a\\*b', '.x', 'ä😀'].map(last)).toEqual(['a', 'a*b', '.x', 'ä😀'])
    expect(['*', 'a?', '[a]', '**'].map(last)).toEqual([null, null, null, null])
  })
})
