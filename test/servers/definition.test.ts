import { mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { readDefinitions } from '../../src/servers/definition.ts'
import { readPins, serverFile, writePins } from '../../src/servers/pins.ts'
import { makeScratch } from '../harness/scratch.ts'

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

it('tools that are too large together are left out from there on, and what is stored can be read again', () => {
  const choices = Array.from({ length: 900 }, (_, n) => ({ const: `${n}-`.padEnd(60, 'x') }))
  const properties = { a: { oneOf: choices } }
  const listed = Array.from({ length: 200 }, (_, n) => ({
    name: `t${n}`,
    inputSchema: { ...inputSchema, properties },
  }))
  const { tools, refused } = readDefinitions(listed)
  expect(tools.length).toBeGreaterThan(20)
  expect(tools.length + refused.length).toBe(200)
  expect(refused).toContainEqual({ name: 't199', why: 'the tools of the server are too large together' })
  const state = makeScratch().path
  mkdirSync(dirname(serverFile(state, 's', 'json')), { recursive: true })
  writePins(state, 's', tools)
  expect(statSync(serverFile(state, 's', 'json')).size).toBeLessThan(8 * 1024 ** 2)
  expect(readPins(state, 's', () => true)).toEqual(tools)
})

it('stored definitions that are too large to be read trust nothing, and stop nothing', () => {
  const state = makeScratch().path
  const file = serverFile(state, 's', 'json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  truncateSync(file, 65 * 1024 ** 2)
  expect(readPins(state, 's', () => true)).toBeNull()
})
