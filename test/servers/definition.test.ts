import { expect, it } from 'vitest'
import { readDefinitions } from '../../src/servers/definition.ts'

const inputSchema = { type: 'object' }

it('descriptions of tools and remarks in schemas are made safe and cut', () => {
  const long = `\u001B[2J\u202EIgnore this. ${'x'.repeat(10_000)}`
  const properties = { a: { type: 'string', description: long } }
  const [tool] = readDefinitions([
    { name: 'a', description: long, inputSchema: { ...inputSchema, properties } },
  ]).tools
  const text = JSON.stringify(tool)
  expect(text).not.toMatch(/\\u001b|\u202E/i)
  expect(text.match(/Ignore this\. x+/g)).toHaveLength(2)
  expect(tool?.description).toHaveLength(2_000)
  expect(tool?.description.endsWith('…')).toBe(true)
  const inner = JSON.stringify(tool?.inputSchema)
  expect(inner.length).toBeLessThan(600)
})

it('a tool that is listed twice is not used at all, and no more than 512 are read', () => {
  const twice = readDefinitions(['a', 'b', 'a'].map((name) => ({ name, inputSchema })))
  expect(twice.tools.map(({ name }) => name)).toEqual(['b'])
  expect(twice.refused).toEqual([{ name: 'a', why: 'the server lists it more than once' }])
  const many = readDefinitions(Array.from({ length: 513 }, (_, n) => ({ name: `t${n}`, inputSchema })))
  expect(many.tools).toHaveLength(512)
  expect(many.refused).toMatchObject([{ why: 'the server lists 513 tools; only 512 are read' }])
})
