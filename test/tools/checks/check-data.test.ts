import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkJson } from '../../../src/tools/checks/check-data.ts'
import { checkToml } from '../../../src/tools/checks/check-data.ts'
import { roundsOf } from '../../harness/long-run.ts'

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('JSON', () => {
  it('is whatever the engine parses', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:01.-etrunl \n\\/'), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(noise, fc.json()), (text) => {
        expect(checkJson(text).length === 0).toBe(parses(text))
      }),
      { numRuns: roundsOf(200, 2000) },
    )
  })

  it.for([
    ['{"a": 1,\n}', 2, 1, 'a key in double quotes', '"}"', 'Remove the comma before it.'],
    ['[1,]', 1, 4, 'a value', '"]"', 'Remove the comma before it.'],
    ['{\n  // no\n}', 2, 3, 'a key in double quotes or "}"', '"/"', 'Remove the comment: JSON has none.'],
    ['{a: 1}', 1, 2, 'a key in double quotes or "}"', '"a"', 'Write the key in double quotes.'],
    ["['a']", 1, 2, 'a value or "]"', '"\'"', 'Write double quotes.'],
    ['{"a": 1 "b": 2}', 1, 9, '"," or "}"', '"""', 'Put a comma between the two, or close the bracket.'],
  ] as const)('%j', ([text, line, column, expected, found, suggestion]) => {
    const message = `line ${line}, column ${column}: expected ${expected}, found ${found}`
    expect(checkJson(text)).toEqual([{ line, column, expected, found, suggestion, message }])
  })

  it('says where a text is cut off or holds what a string may not', () => {
    expect(checkJson('{"a": "b')).toMatchObject([
      { line: 1, column: 9, suggestion: expect.stringContaining('cut short') },
    ])
    expect(checkJson('["a\n"]')).toMatchObject([
      { line: 1, column: 4, found: expect.stringContaining('U+000A') },
    ])
    expect(checkJson('["\\d"]')).toMatchObject([{ column: 3, suggestion: 'Write \\\\ for a backslash.' }])
  })
})

describe('TOML', () => {
  it.for([[''], ['a = 1'], ['[t]\nb = "x"\n[[l]]\nc = 9007199254740993\n'], ['d = 2026-01-01T00:00:00Z']])(
    '%j is TOML',
    async ([text = '']) => {
      expect(await checkToml(text)).toEqual([])
    },
  )

  it.for([
    ['a = 1\nb = \n', 2],
    ['a = 1\na = 2\n', 2],
    ['[t\n', 1],
    ['x = "a', 1],
    ['k = "é😀" é', 1],
  ] as const)('%j is none, from line %i on', async ([text, line]) => {
    const [problem] = await checkToml(text)
    expect(problem).toMatchObject({ line, expected: 'valid TOML' })
    expect(problem?.message).toContain(`line ${line}, column ${problem?.column}: `)
    expect(problem?.message).not.toContain('\n')
    expect(problem?.suggestion).not.toBe('')
  })

  it('columns count characters', async () => {
    const [wide] = await checkToml('k = "😀" x')
    const [narrow] = await checkToml('k = "a" x')
    expect(wide?.column).toBe(narrow?.column)
  })
})
