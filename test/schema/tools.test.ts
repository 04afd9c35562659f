import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { fromDeclaration } from '../../src/tools/define/declaration.ts'
import { defineTool } from '../../src/tools/define/define-tool.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { compileSchema } from '../../src/schema/compile-schema.ts'
import { DIALECT, object, string } from '../../src/schema/schema.ts'
import type { Tool } from '../../src/core/tool.ts'
import { builtInTools } from '../../src/tools/built-in.ts'
import { fileReader } from '../tools/define/file-reader.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { PAIR_SCHEMA } from './pair-schema.ts'

/** An independent judge of documents: the dialect's own description of itself, applied by another validator. */
const judge = new Ajv2020({ strict: false, validateFormats: false })

function verdictOn(document: JsonObject): readonly unknown[] {
  return [judge.validateSchema(document), judge.errors ?? null, compileSchema(document).ok]
}

describe('the schemas of the built-in tools', () => {
  it('R-CHK-TOOL-2: every input schema is a valid document', () => {
    expect(builtInTools.length).toBeGreaterThan(3)
    for (const { name, inputSchema } of builtInTools) {
      expect([name, ...verdictOn(inputSchema)]).toEqual([name, true, null, true])
      expect(inputSchema['$schema']).toBe(DIALECT)
    }
    expect(verdictOn({ $schema: DIALECT, type: 'objekt' })[0]).toBe(false)
  })

  it('R-CHK-TOOL-3: every output schema is a valid document', () => {
    for (const { name, outputSchema } of builtInTools) {
      expect([name, ...verdictOn(outputSchema)]).toEqual([name, true, null, true])
      expect(outputSchema['$schema']).toBe(DIALECT)
    }
    expect(verdictOn({ $schema: DIALECT, properties: [] })[0]).toBe(false)
  })
})

describe('the schemas of a call', () => {
  it('R-OUT-2: a result is judged by what only Draft 2020-12 has', async () => {
    const output: JsonObject = {
      $schema: DIALECT,
      type: 'object',
      properties: {
        pair: PAIR_SCHEMA,
        paid: { type: 'boolean', description: 'Whether it is paid' },
      },
      required: ['pair'],
      additionalProperties: false,
      dependentRequired: { paid: ['pair'] },
      unevaluatedProperties: false,
    }
    const b = bench()
    const give = async (result: unknown) => b.call('give', {}, { tools: [giving(output, result)] })
    expect(outputOf(await give({ pair: ['a', 1] }))).toEqual({ pair: ['a', 1] })
    expect(errorOf(await give({ pair: [1, 'a'] })).message).toContain(
      'result.pair[0] must be string, not number',
    )
    expect(errorOf(await give({ pair: ['a', 1, 2] })).message).toContain(
      'result.pair must have at most 2 items',
    )
    expect(errorOf(await give({ paid: true })).message).toContain('result needs "pair"')
  })

  it('a pattern that would never finish by going back answers at once', async () => {
    const input: JsonObject = {
      $schema: DIALECT,
      type: 'object',
      properties: { word: { type: 'string', description: 'A word', pattern: '^(a+)+$' } },
      required: ['word'],
      additionalProperties: false,
    }
    const b = bench()
    const tool = defineTool({
      name: 'slow',
      version: '1.0.0',
      description: 'x',
      effect: 'read',
      input,
      output: object({ said: string('It') }, 'x'),
      run: () => ({ said: '' }),
    })
    const error = errorOf(await b.call('slow', { word: `${'a'.repeat(50)}b` }, { tools: [tool] }))
    expect(error.message).toContain('args.word must match the pattern "^(a+)+$"')
  })
})

function giving(output: JsonObject, result: unknown): Tool {
  return defineTool({
    name: 'give',
    version: '1.0.0',
    description: 'Gives',
    effect: 'read',
    input: object({}, 'Nothing'),
    output,
    run: () => result,
  })
}

describe('a declared tool', () => {
  it('R-EX-A: the example loads, takes a good path, refuses a bad one, and its output is checked', async () => {
    const b = bench()
    const seen: unknown[] = []
    const answer = { good: { content: 'hello', size: 5 }, bad: { content: 'hello', size: '5' } }
    const call = async (args: JsonObject, result: object) => {
      const tool = fromDeclaration(fileReader, (given) => {
        seen.push(given)
        return result
      })
      return b.call('file.read', args, { tools: [tool] })
    }
    expect(outputOf(await call({ path: 'src/a_b-c.ts' }, answer.good))).toEqual(answer.good)
    for (const path of ['a b', '', 'a\n', 'ä', 'a;b']) {
      const error = errorOf(await call({ path }, answer.good))
      expect([path, error.code, error.message]).toEqual([
        path,
        'bad_args',
        expect.stringContaining('args.path must match the pattern'),
      ])
    }
    expect(errorOf(await call({ path: 'a', mode: 1 }, answer.good)).message).toContain(
      'unknown property "mode"',
    )
    expect(errorOf(await call({}, answer.good)).message).toContain('args needs "path"')
    expect(seen).toEqual([{ path: 'src/a_b-c.ts' }])
    const error = errorOf(await call({ path: 'a' }, answer.bad))
    expect([error.code, error.message]).toEqual([
      'output_invalid',
      expect.stringContaining('result.size must be number, not string'),
    ])
    expect(errorOf(await call({ path: 'a' }, { ...answer.good, extra: 1 })).code).toBe('output_invalid')
  })
})
