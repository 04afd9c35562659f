import { describe, expect, it } from 'vitest'
import { fromDeclaration } from '../../../src/tools/define/declaration.ts'
import type { ToolDeclaration } from '../../../src/tools/define/declaration.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { createRegistry } from '../../../src/core/registry.ts'
import { DIALECT, findSchemaFaults, integer, object, optional, string } from '../../../src/schema/schema.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'
import { fileReader } from './file-reader.ts'

const input = object(
  { word: string('A word'), times: optional(integer('How often', { minimum: 1 })) },
  'What to say',
)
const output = object({ said: string('What was said') }, 'The answer')

function sayTool(changes: Readonly<Record<string, unknown>> = {}) {
  return defineTool({
    name: 'say',
    version: '1.0.0',
    description: 'Say a word',
    effect: 'read',
    input,
    output,
    run: ({ word, times }) => ({ said: word.repeat(times ?? 1) }),
    ...changes,
  })
}

describe('defining a tool', () => {
  it.each([
    ['an empty name', { name: '' }, /name/],
    ['a name with a slash', { name: 'a/b' }, /name/],
    ['a version that is none', { version: '1' }, /version/],
    ['a blank description', { description: ' ' }, /description/],
    ['an unknown effect', { effect: 'write' }, /effect/],
    ['an unknown capability', { capabilities: ['filesystem.fly'] }, /filesystem\.fly/],
    [
      'a schema without descriptions',
      {
        input: {
          $schema: DIALECT,
          type: 'object',
          properties: { a: { type: 'string' } },
          required: [],
          additionalProperties: false,
        },
      },
      /description/,
    ],
  ])('%s is refused by name', (_what, changes, message) => {
    expect(() => sayTool(changes)).toThrow(message)
  })

  it('FR-REG-01: a tool answers for its name, description, schema, effects, risk, summary, timeout and code', async () => {
    const tool = sayTool({
      limits: { maxExecutionTimeMs: 5 },
      summary: ({ word }: { word: string }) => `Say ${word}`,
    })
    expect(tool).toMatchObject({
      name: 'say',
      description: 'Say a word',
      effect: 'read',
      limits: { maxExecutionTimeMs: 5 },
    })
    expect(tool.riskOf({ word: 'a' })).toBe('Low')
    expect(tool.requiresApproval({ word: 'a' })).toBe(false)
    expect(tool.summary({ word: 'hello' })).toBe('Say hello')
    expect(tool.inputSchema['required']).toEqual(['word'])
    expect(await tool.run({ word: 'ab', times: 2 }, {} as never)).toEqual({ said: 'abab' })
  })

  it('an effect can be lowered by the arguments and never raised', () => {
    const tool = sayTool({
      effect: 'edit',
      effectOf: ({ word }: { word: string }) => (word === 'look' ? 'read' : 'spawn'),
    })
    expect([tool.effectOf({ word: 'look' }), tool.effectOf({ word: 'go' })]).toEqual(['read', 'edit'])
  })

  it('SRD/D-01, NFR-MAIN-01: the schema and the type of the arguments come from one description', () => {
    const tool = defineTool({
      name: 'typed',
      version: '1.0.0',
      description: 'x',
      effect: 'read',
      input,
      output,
      run: ({ word }) => ({ said: word satisfies string }),
    })
    expect(tool.inputSchema).toEqual({
      $schema: DIALECT,
      type: 'object',
      description: 'What to say',
      properties: {
        word: { type: 'string', description: 'A word' },
        times: { type: 'integer', description: 'How often', minimum: 1 },
      },
      required: ['word'],
      additionalProperties: false,
    })
  })

  it('a schema of another library is taken when it can print itself', () => {
    const foreign = { '~standard': { jsonSchema: { input: () => ({ ...input.json }) } } }
    expect(sayTool({ input: foreign }).inputSchema['$schema']).toBe(DIALECT)
  })
})

describe('the registry', () => {
  it('FR-REG-03: it finds a tool by name, refuses a second one of that name, and lists them sorted', () => {
    const registry = createRegistry([sayTool({ name: 'zeta' }), sayTool({ name: 'alpha' })])
    expect(registry.find('zeta')?.name).toBe('zeta')
    expect(registry.find('toString')).toBeNull()
    expect(registry.definitions.map(({ name }) => name)).toEqual(['alpha', 'zeta'])
    expect(() => createRegistry([sayTool(), sayTool()])).toThrow(/DuplicateTool.*say/)
  })

  it('NFR-MAIN-03: the definitions do not depend on the order of registration', () => {
    const names = ['c', 'a', 'b']
    const one = createRegistry(names.map((name) => sayTool({ name })))
    const other = createRegistry(names.toReversed().map((name) => sayTool({ name })))
    expect(JSON.stringify(one.definitions)).toBe(JSON.stringify(other.definitions))
  })

  it('NFR-PERF-01: finding a tool takes no longer among ten thousand than among ten', () => {
    let looks = 0
    const counted = (name: string) =>
      Object.defineProperty(sayTool({ name }), 'name', {
        get() {
          looks++
          return name
        },
      })
    const looksAmong = (length: number): number => {
      const registry = createRegistry(Array.from({ length }, (_, index) => counted(`t${index}`)))
      const before = looks
      expect(registry.find(`t${length - 1}`)).not.toBeNull()
      return looks - before
    }
    expect(looksAmong(10_000)).toBe(looksAmong(10))
  })

  it('NFR-PERF-03: definitions are printed once and then handed out as they are', () => {
    const registry = createRegistry([sayTool()])
    expect(registry.definitions).toBe(registry.definitions)
    expect(registry.definitions[0]?.inputSchema).toBe(registry.find('say')?.inputSchema)
  })

  it('SRD/C-01: tools of different shapes live in one registry and are called alike', async () => {
    const other = defineTool({
      name: 'count',
      version: '1.0.0',
      description: 'Count',
      effect: 'read',
      input: object({}, 'Nothing'),
      output: object({ n: integer('A number') }, 'A count'),
      run: async () => ({ n: 3 }),
    })
    const registry = createRegistry([sayTool(), other])
    const answers = await Promise.all(
      ['say', 'count'].map(async (name) => registry.find(name)?.run({ word: 'x' }, {} as never)),
    )
    expect(answers).toEqual([{ said: 'x' }, { n: 3 }])
  })
})

describe('a declaration as plain data', () => {
  it('R-DECL: all ten fields are needed and kept', () => {
    const tool = fromDeclaration(fileReader, () => ({ content: '', size: 0 }))
    expect(tool).toMatchObject({
      name: 'file.read',
      version: '1.0.0',
      title: 'File Reader',
      description: 'Reads a file',
      capabilities: ['filesystem.read'],
      limits: { maxExecutionTimeMs: 5000, maxMemoryBytes: 10_485_760, maxFileBytes: 1_048_576 },
      deterministic: true,
      idempotent: true,
      effect: 'read',
    })
    expect(tool.inputSchema).toBe(fileReader.inputSchema)
    expect(tool.outputSchema).toBe(fileReader.outputSchema)
    for (const field of Object.keys(fileReader)) {
      const { [field as keyof ToolDeclaration]: _left, ...rest } = fileReader
      expect(() => fromDeclaration(rest as ToolDeclaration, () => null)).toThrow(field)
    }
  })

  it.each([
    [['filesystem.write'], 'edit'],
    [['process.spawn', 'filesystem.read'], 'spawn'],
    [['network.connect', 'filesystem.write'], 'external'],
  ])('the powers %j make its effect %s', (requiredCapabilities, effect) => {
    expect(fromDeclaration({ ...fileReader, requiredCapabilities }, () => null).effect).toBe(effect)
  })

  it('an unknown capability is refused by name', () => {
    expect(() =>
      fromDeclaration({ ...fileReader, requiredCapabilities: ['filesystem.fly'] }, () => null),
    ).toThrow(/filesystem\.fly/)
  })
})

describe('the built-in tools', () => {
  const documents = builtInTools.flatMap((tool) => [
    [`${tool.name} input`, tool.inputSchema] as const,
    [`${tool.name} output`, tool.outputSchema] as const,
  ])
  const properties = documents.flatMap(([name, document]) => collectProperties(document, name))

  it('R-SCH-2: every schema names its dialect first', () => {
    for (const [, document] of documents) expect(Object.entries(document)[0]).toEqual(['$schema', DIALECT])
  })

  it('R-SCH-3: every property has a type', () => {
    expect(properties.length).toBeGreaterThan(20)
    expect(properties.filter(([, schema]) => schema['type'] === undefined)).toEqual([])
    expect(faultsOf({ a: { description: 'A letter' } })).toEqual(['/properties/a has no type'])
  })

  it('R-SCH-4: every object lists its required properties', () => {
    for (const [name, document] of documents) expect([name, findSchemaFaults(document)]).toEqual([name, []])
    const { required: _left, ...broken } = builtInTools[0]?.inputSchema ?? {}
    expect(findSchemaFaults(broken)).toEqual([{ at: '', message: expect.stringContaining('required') }])
  })

  it('R-SCH-5: every property has a description', () => {
    expect(
      properties.filter(
        ([, schema]) => typeof schema['description'] !== 'string' || schema['description'] === '',
      ),
    ).toEqual([])
    expect(faultsOf({ a: { type: 'string' } })).toEqual(['/properties/a has no description'])
  })

  it('R-SCH-6: no object allows unknown properties', () => {
    for (const [name, schema] of [...documents, ...properties]) {
      if ('properties' in schema) expect([name, schema['additionalProperties']]).toEqual([name, false])
    }
    const { additionalProperties: _left, ...open } = builtInTools[0]?.inputSchema ?? {}
    expect(findSchemaFaults(open)).toEqual([{ at: '', message: 'allows unknown properties' }])
  })

  it('R-CHK-TOOL-1: every tool carries all its metadata', () => {
    for (const tool of builtInTools) {
      for (const text of [tool.name, tool.version, tool.title, tool.description]) expect(text).not.toBe('')
    }
  })

  it('R-CHK-TOOL-5: every tool says which limit holds its time', () => {
    for (const tool of builtInTools)
      expect(['file_operations', 'shell_commands', 'conversation', 'default']).toContain(tool.limits.timeout)
  })

  it('R-CHK-TOOL-6: every tool says whether it is deterministic', () => {
    for (const { name, deterministic } of createRegistry(builtInTools).definitions)
      expect([name, typeof deterministic]).toEqual([name, 'boolean'])
  })

  it('R-CHK-TOOL-7: every tool says whether it is idempotent', () => {
    for (const { name, idempotent } of createRegistry(builtInTools).definitions)
      expect([name, typeof idempotent]).toEqual([name, 'boolean'])
  })
})

/** The faults of an otherwise sound document with these properties. */
function faultsOf(shapes: JsonObject): readonly string[] {
  const document = { $schema: DIALECT, type: 'object', properties: shapes, required: [] }
  return findSchemaFaults({ ...document, additionalProperties: false }).map(
    ({ at, message }) => `${at} ${message}`,
  )
}

function collectProperties(schema: JsonObject, at: string): readonly (readonly [string, JsonObject])[] {
  const inner = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>)
  const items = schema['items'] as JsonObject | undefined
  return [
    ...inner.flatMap(([name, child]) => [
      [`${at}.${name}`, child] as const,
      ...collectProperties(child, `${at}.${name}`),
    ]),
    ...(items === undefined ? [] : [[`${at}[]`, items] as const, ...collectProperties(items, `${at}[]`)]),
  ]
}

describe('deprecation', () => {
  const deprecated = { since: '1.2.0', use: 'shout', removedIn: '2.0.0' }

  it('R-DEP-2: a deprecated tool says what to use instead, or is refused', () => {
    expect(createRegistry([sayTool({ version: '1.3.0', deprecated })]).definitions[0]?.deprecated).toEqual(
      deprecated,
    )
    expect(() => createRegistry([sayTool({ deprecated: { ...deprecated, use: '' } })])).toThrow(
      /what to use instead/,
    )
  })

  it('R-DEP-1: a tool may be gone only after two minor versions of warning', () => {
    const gone = { name: 'mutter', use: 'say', since: '1.2.0', lastIn: '1.4.0', removedIn: '2.0.0' }
    expect(createRegistry([sayTool()], { removals: [gone] }).successor('mutter')).toBe('say')
    expect(() => createRegistry([sayTool()], { removals: [{ ...gone, lastIn: '1.3.9' }] })).toThrow(
      /two minor versions/,
    )
  })

  it('R-DEP-4: it can be announced to go only with a later major version', () => {
    for (const removedIn of ['1.9.0', '1.2.0', '1.0.0', '0.9.0', '2.1.0', 'soon']) {
      expect(() => createRegistry([sayTool({ deprecated: { ...deprecated, removedIn } })])).toThrow(
        /removedIn/,
      )
    }
    expect(() => createRegistry([sayTool({ version: '2.0.0', deprecated })])).toThrow(/removed in 2\.0\.0/)
  })
})
