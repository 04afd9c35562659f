import { describe, expect, it } from 'vitest'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { object, oneOf, optional, string } from '../../../src/schema/schema.ts'
import type { DeclaredRule, Tool } from '../../../src/core/tool.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf } from '../../bench-folder.ts'

const schema = object(
  { word: optional(string('A word')), action: optional(oneOf(['list', 'drop'], 'What')) },
  'Any',
)

function tool(name: string, rules?: readonly DeclaredRule[]): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    description: `The tool ${name}`,
    effect: 'read',
    input: schema,
    output: schema,
    ...(rules === undefined ? {} : { rules }),
    run: () => ({}),
  })
}

const open = (options: Partial<RuntimeOptions>) => bench().open({ tools: [tool('a'), tool('b')], ...options })

async function outcomes(options: Partial<RuntimeOptions>, names: readonly string[]) {
  const runtime = await open(options)
  const results = await runtime.run(names.map((name, index) => ({ id: `${index}`, name, args: {} })))
  return results.map((result) => (result.ok ? 'ok' : errorOf(result).details['rule']))
}

describe('rules from everywhere', () => {
  it('a tool brings its own, a program adds some, and configuration adds more', async () => {
    const tools = [tool('a', [{ type: 'MaxCalls', max: 2 }]), tool('b'), tool('c')]
    const rules = [{ tool: 'b', type: 'MaxCalls', max: 1 }]
    const config = { 'tools.rules': [{ tool: 'c', type: 'MaxCalls', max: 0 }] }
    expect(await outcomes({ tools, rules, config }, ['a', 'a', 'a', 'b', 'b', 'c'])).toEqual([
      'ok',
      'ok',
      'MaxCalls',
      'ok',
      'MaxCalls',
      'MaxCalls',
    ])
    const runtime = await open({ tools, rules, config })
    expect(runtime.rules().map(({ tool: about, from }) => [about, from])).toEqual([
      ['c', 'the program, tools.rules[1]'],
      ['b', 'the program'],
      ['a', 'tool a'],
    ])
    expect(runtime.rules()[2]?.sentence).toBe('a may be called at most 2 times in a turn.')
  })

  it('what configuration allows does not lift the rule of a tool', async () => {
    const tools = [tool('a', [{ type: 'MaxCalls', max: 0 }])]
    const rules = [{ tool: 'a', type: 'MaxCalls', max: 9, priority: 100 }]
    expect(await outcomes({ tools, rules }, ['a'])).toEqual(['MaxCalls'])
  })

  it('the same rule from two places is one rule', async () => {
    const rule = { tool: 'a', type: 'MaxCalls', max: 1 }
    const runtime = await open({ rules: [rule], config: { 'tools.rules': [rule] } })
    expect(runtime.rules()).toHaveLength(1)
  })

  it.each([
    [{ rules: [{ tool: 'a', type: 'MaxCalls' }] }, /the program: rules.0: .*needs "max"/],
    [{ rules: [{ tool: 'a', type: 'MaxCall', max: 1 }] }, /the program: .*did you mean MaxCalls/],
    [{ tools: [tool('a', [{ type: 'Cooldown', seconds: -1 }])] }, /tool a: rules.0.seconds/],
    [{ tools: [tool('a', [{ type: 'Needed', tools: ['zz'] }])] }, /tool a: .*"zz"/],
    [{ rules: [{ tool: 'aa', type: 'MaxCalls', max: 1 }] }, /the program: .*"aa".*Did you mean a/],
  ])('rules that make no sense are refused with where they stand: %j', async (options, message) => {
    await expect(open(options)).rejects.toThrow(message)
  })

  it('P-RULE-AllowedOperations: what a rule leaves out is not shown either, nor a tool that has nothing left', async () => {
    const rules = [
      { tool: 'a', type: 'AllowedOperations', operations: ['list'] },
      { tool: 'b', type: 'AllowedOperations', operations: ['burn'] },
    ]
    const runtime = await open({ rules })
    const shown = runtime.definitions()
    expect(shown.find(({ name }) => name === 'a')?.inputSchema).toMatchObject({
      properties: { action: { enum: ['list'] } },
    })
    expect(shown.some(({ name }) => name === 'b')).toBe(false)
    const [drop] = await runtime.run([{ id: '1', name: 'a', args: { action: 'drop' } }])
    expect(errorOf(drop).details).toMatchObject({ rule: 'AllowedOperations', allowed: ['list'] })
  })
})
