import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileGlob, parseGlob } from '../../../src/core/glob/glob.ts'
import { createDenies } from '../../../src/workspace/sandbox/denies.ts'
import { foldName } from '../../../src/workspace/sandbox/deny-rule.ts'
import { roundsOf } from '../../harness/long-run.ts'

const ROOT = '/w/Root'
/** `**` and then names with stars only at their ends: they are compared in the form of names that may open the same file. */
const ANYWHERE = /^\*\*\/((?:\*?[^*?[\]{}\\!/]+\*?)(?:\/\*?[^*?[\]{}\\!/]+\*?)*)(?:\/\*\*)?$/

function isPlainMatch(pattern: string, name: string): boolean {
  const written = pattern.replaceAll('*', '')
  const folded = foldName(name)
  if (!pattern.endsWith('*'))
    return pattern.startsWith('*') ? folded.endsWith(foldName(written)) : folded === foldName(written)
  // What stands before a star is not the end of a name.
  const text = foldName(`${written}x`).slice(0, -1)
  return pattern.startsWith('*') ? folded.includes(text) : folded.startsWith(text)
}

/** Whether a pattern matches a path from the top of the file system, told from the definition: one pattern, one path. */
function isMatch(pattern: string, names: readonly string[], belowRoot: readonly string[] | null): boolean {
  const plain = ANYWHERE.exec(pattern)?.[1]?.split('/')
  if (plain !== undefined) {
    const ending = names.slice(-plain.length)
    return ending.length === plain.length && plain.every((one, at) => isPlainMatch(one, ending[at] ?? ''))
  }
  const parsed = parseGlob(pattern)
  if (!parsed.ok) throw new Error(parsed.message)
  const test = compileGlob(parsed.glob, { foldCase: true })
  const isFromTop = pattern.startsWith('/') || pattern.startsWith('**')
  const isFromRoot = !pattern.startsWith('/') && belowRoot !== null
  return (isFromTop && test(`/${names.join('/')}`)) || (isFromRoot && test(belowRoot.join('/')))
}

/** The pattern that denies a path: the first that matches the outermost folder that one matches. */
function findOneByOne(patterns: readonly string[], rel: readonly string[]): string | null {
  const above = ROOT.slice(1).split('/')
  const names = [...above, ...rel]
  for (const end of names.keys()) {
    const below = end < above.length ? null : rel.slice(0, end + 1 - above.length)
    const hit = patterns.find((pattern) => isMatch(pattern, names.slice(0, end + 1), below))
    if (hit !== undefined) return hit
  }
  return null
}

const name = fc
  .oneof(
    fc.constantFrom(
      'a',
      'b',
      'ab',
      'Straße',
      'STRASSE',
      'aé',
      'ae\u0301',
      'İ',
      'ab1',
      'aab',
      'w',
      'x.env',
      'a.',
    ),
    fc.string({ unit: fc.constantFrom('a', 'b', 'B', '1', '.', 'ß'), minLength: 1, maxLength: 6 }),
  )
  .filter((one) => !/^\.{1,2}$/.test(one))
const part = fc.oneof(
  name,
  // With more of them than a word of the machine has places.
  fc.tuple(name, name).map(([first, second]) => `*${first}*${second}?`),
  fc.tuple(name, name).map(([first, second]) => `${first}*${second}*`),
  fc.constantFrom(
    '**',
    '*',
    '?',
    'a*',
    '*b',
    '*a*',
    'a?b',
    '*a?*b',
    '[a-b]*',
    '[!a]',
    '*[0-9]',
    'str*e',
    '?B*',
    '{a,b1}',
  ),
)
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '/', '**/', '**/', '/w/root/'),
    fc.array(part, { minLength: 1, maxLength: 4 }),
  )
  .map(([start, parts]) => start + parts.join('/'))

describe('many denied patterns', () => {
  it('deny what each of them alone denies, and the first of them is named', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 80 }),
        fc.array(fc.array(name, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
        (patterns, paths) => {
          const denies = createDenies(patterns, false)
          for (const path of paths)
            expect(denies.find(ROOT, path.join('/'), 'read')).toBe(findOneByOne(patterns, path))
        },
      ),
      { numRuns: roundsOf(300, 3_000) },
    )
  })

  const NAMES = Array.from(
    { length: 20_000 },
    (_, at) => `src/part${at % 20}/dir${at % 400}/file-${at % 50}-b.ts`,
  )

  /** The CPU time that judging all these names takes, the least of some times. */
  function cost(patterns: readonly string[], times: number): number {
    const each = Array.from({ length: times }, () => {
      const denies = createDenies(patterns, false)
      const before = process.cpuUsage()
      for (const path of NAMES) denies.find('/w/root', path, 'read')
      return process.cpuUsage(before).user
    })
    return Math.min(...each)
  }

  it.each<readonly [string, (at: number) => string]>([
    ['below a folder', (at) => `**/dir${at + 1000}/x/*`],
    ['with any character', (at) => `**/*q?${at}*`],
    ['from the root', (at) => `src/m${at}/x?.txt`],
    ['from the top', (at) => `/srv/d${at}/**`],
  ])('cost hardly more than a tenth of them (%s)', (_, patternOf) => {
    const patterns = Array.from({ length: 500 }, (_unused, at) => patternOf(at))
    expect(cost(patterns, 3) / cost(patterns.slice(0, 50), 3)).toBeLessThan(5)
  })
})
