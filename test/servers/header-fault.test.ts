import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { readDefinitions } from '../../src/servers/definition.ts'

const tool = (name: string, properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  name,
  description: '',
  inputSchema: { type: 'object', properties, ...rest },
})
const wanted = (header: string, type = 'string'): JsonObject => ({ type, 'x-mcp-header': header })

const GOOD = [
  tool('none', { a: { type: 'string' } }),
  tool('each-type', { a: wanted('A'), b: wanted('B', 'integer'), c: wanted('C', 'boolean') }),
  tool('inner', { a: { type: 'object', properties: { b: wanted('X-Tenant_1') } } }),
  tool('called-like-it', { 'x-mcp-header': { type: 'array', items: { type: 'string' } } }),
  tool('said-as-data', { a: { type: 'object', default: wanted('no header'), enum: [wanted('\n')] } }),
]

describe('a schema that wants arguments as headers', () => {
  it('is used if each of them can be one', () => {
    const { tools, refused } = readDefinitions(GOOD, true)
    expect(refused).toEqual([])
    expect(tools.map(({ name }) => name)).toEqual(GOOD.map(({ name }) => name))
  })

  it.each<[string, JsonObject, JsonObject, RegExp]>([
    ['without a name', { a: wanted('') }, {}, /wants a as a header, but its name/],
    ['with a number as its name', { a: { type: 'string', 'x-mcp-header': 5 } }, {}, /name/],
    ['with a blank', { a: wanted('My Header') }, {}, /name/],
    ['with a colon', { a: wanted('A:b') }, {}, /name/],
    ['with another line', { a: wanted('A\r\nAuthorization') }, {}, /name|do not show/],
    ['with letters of other scripts', { a: wanted('Größe') }, {}, /name/],
    ['for a number', { a: wanted('A', 'number') }, {}, /neither a string/],
    ['for an object', { a: wanted('A', 'object') }, {}, /neither a string/],
    ['for no type', { a: { 'x-mcp-header': 'A' } }, {}, /neither a string/],
    ['twice', { a: wanted('Tenant'), b: wanted('TENANT') }, {}, /wants b .*same header/],
    ['for items', { a: { type: 'array', items: wanted('A') } }, {}, /wants a\.items .*only an argument/],
    ['in a choice', {}, { anyOf: [{ properties: { a: wanted('A') } }] }, /only an argument/],
    ['in a definition', {}, { $defs: { a: wanted('A') } }, /only an argument/],
    ['for any other argument', {}, { additionalProperties: wanted('A') }, /only an argument/],
    ['for all of it', {}, { 'x-mcp-header': 'A' }, /wants all of it/],
  ])('is refused alone if it wants one %s', (_what, properties, rest, why) => {
    const { tools, refused } = readDefinitions([tool('bad', properties, rest), ...GOOD], true)
    expect(refused).toMatchObject([{ name: 'bad', why: expect.stringMatching(why) }])
    expect(tools).toHaveLength(GOOD.length)
  })

  it('is used in any case where calls have no headers', () => {
    expect(readDefinitions([tool('bad', { a: wanted('My Header') })]).refused).toEqual([])
  })
})
