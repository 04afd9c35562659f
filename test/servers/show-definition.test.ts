import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../../src/core/json/value.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { readDefinitions } from '../../src/servers/definition.ts'
import { describeServer } from '../../src/servers/show-definition.ts'
import { roundsOf } from '../harness/long-run.ts'

function linesOf(inputSchema: JsonObject, more: JsonObject = {}): readonly string[] {
  const { tools } = readDefinitions([{ name: 'look', description: 'Looks.', inputSchema, ...more }])
  const shown = { name: 'notes', definitions: tools, refused: [], wasTrusted: false, sandbox: null, diff: '' }
  return describeServer(shown).tools.flatMap(({ lines }) => lines)
}

describe('the question whether to trust the tools of a server', () => {
  it('shows each argument, and which are required', () => {
    const properties = { query: { type: 'string' }, 'odd name': { type: 'integer' } }
    expect(linesOf({ type: 'object', properties, required: ['query'], additionalProperties: false })).toEqual(
      [
        'Looks.',
        'argument query (required): {"type":"string"}',
        'argument "odd name": {"type":"integer"}',
        'arguments, additionalProperties: false',
      ],
    )
  })

  it.each([
    ['a name that is no argument', { required: ['query', 'HIDDEN words'] }],
    ['required names without arguments', { properties: undefined, required: ['HIDDEN words'] }],
    ['a name of every object', { required: ['toString', 'HIDDEN words'] }],
    ['a definition', { $defs: { 'HIDDEN words': {} } }],
    ['a keyword nobody knows', { 'HIDDEN words': true }],
  ])('shows all that a model would be told: %s', (_title, more) => {
    const schema = JSON.parse(
      JSON.stringify({ type: 'object', properties: { query: { type: 'string' } }, ...more }),
    ) as JsonObject
    expect(linesOf(schema).join('\n')).toContain('HIDDEN words')
  })

  it('cuts nothing off, however long it is', () => {
    const long = `${'x'.repeat(40_000)} the end`
    const properties = { query: { type: 'string', const: long } }
    expect(linesOf({ type: 'object', properties }).join('\n')).toContain(long)
  })

  it('leaves no word of any schema out', () => {
    const word = fc.stringMatching(/^[a-z]{9}$/)
    const leaf = fc.oneof(word, fc.integer(), fc.boolean())
    const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(word, leaf, { maxKeys: 2 }))
    const schema = fc.record(
      {
        properties: fc.dictionary(word, fc.dictionary(word, value, { maxKeys: 2 }), { maxKeys: 3 }),
        required: fc.array(word, { maxLength: 3 }),
        $defs: fc.dictionary(word, fc.dictionary(word, value, { maxKeys: 2 }), { maxKeys: 2 }),
        default: value,
      },
      { requiredKeys: [] },
    )
    const law = fc.property(schema, fc.boolean(), (given, takesKey) => {
      const required = takesKey ? Object.keys(given.properties ?? {}) : given.required
      const inputSchema = JSON.parse(JSON.stringify({ ...given, required, type: 'object' })) as JsonObject
      const { tools } = readDefinitions([{ name: 'look', inputSchema }])
      const text = linesOf(inputSchema).join('\n')
      for (const one of tools.flatMap((tool) => wordsIn(tool.inputSchema))) expect(text).toContain(one)
    })
    fc.assert(law, { numRuns: roundsOf(200, 2000) })
  })
})

function wordsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return /^[a-z]{9}$/.test(value) ? [value] : []
  if (Array.isArray(value)) return value.flatMap(wordsIn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [...wordsIn(key), ...wordsIn(inner)])
}
