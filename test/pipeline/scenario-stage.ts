import { defineTool } from '../../src/tools/define/define-tool.ts'
import { failure } from '../../src/core/error.ts'
import type { ToolResult } from '../../src/core/result.ts'
import { integer, object, optional, string } from '../../src/schema/schema.ts'
import type { PowersOf, Tool } from '../../src/core/tool.ts'
import type { GivenRule } from '../../src/runtime/configure/load-rules.ts'
import { bench } from '../bench-folder.ts'
import type { End, ScriptedCall } from '../policy/rules/corridor.ts'
import type { Scenario } from '../policy/rules/scenario.ts'
import { standingClock } from './plan/rule-stage.ts'

/** Tools of a story have names of their own, so that none is one of the built-in ones. */
const nameOf = (tool: string): string => (tool === '*' ? tool : `x_${tool}`)

function renameRule(rule: Scenario['rules'][number]): GivenRule {
  const { tools, groups, scope, ...rest } = {
    tools: undefined,
    groups: undefined,
    scope: undefined,
    ...rule,
  }
  return {
    ...rest,
    tool: nameOf(rule.tool),
    ...(tools === undefined ? {} : { tools: tools.map(nameOf) }),
    ...(groups === undefined ? {} : { groups: groups.map((group) => group.map(nameOf)) }),
    ...(typeof scope === 'string' ? { scope } : {}),
  } as GivenRule
}

function namesIn({ rules, steps }: Scenario): ReadonlySet<string> {
  const ruled = rules.flatMap((rule) => [
    rule.tool,
    ...('tools' in rule ? rule.tools : []),
    ...('groups' in rule ? rule.groups.flat() : []),
  ])
  const called = steps.flatMap(({ calls }) =>
    calls.map((call) => (typeof call === 'string' ? call : call.tool)),
  )
  return new Set([...ruled, ...called].filter((name) => name !== '*'))
}

/** Plays a story in a real runtime, and gives the rows of each step in the words of the story. */
export async function playStory(
  scenario: Scenario,
  restartsBetween: boolean,
): Promise<readonly (readonly string[])[]> {
  const b = bench()
  const clock = standingClock()
  const scripted = scenario.steps.flatMap(({ calls }) =>
    calls.flatMap((call): readonly ScriptedCall[] => (typeof call === 'string' ? [] : [call])),
  )
  const ends = new Map<string, End>()
  let edits = 0

  function makeTool(name: string): Tool {
    const like = scripted.find(({ tool }) => tool === name)
    const isCalled = scenario.steps.some(({ calls }) =>
      calls.some((call) => (typeof call === 'string' ? call : call.tool) === name),
    )
    const needsArgs = !isCalled && scenario.bareTools?.includes(name) !== true
    const number = integer('A number')
    const shared = {
      name: nameOf(name),
      version: '1.0.0',
      description: `The tool ${name}`,
      input: object(
        {
          x: needsArgs ? number : optional(number),
          y: optional(number),
          action: optional(string('What to do')),
        },
        'Arguments',
      ),
      output: object({}, 'Nothing'),
      repeatable: like?.repeatable ?? like?.effect === 'read',
    }
    const finish = (callId: string): object => {
      const end = ends.get(callId) ?? 'ok'
      if (end !== 'ok') throw failure(end, `scripted ${end}`)
      return {}
    }
    if (like?.effect === 'edit')
      return defineTool({
        ...shared,
        effect: 'edit',
        run: (_args: object, { edits: staged, callId }: PowersOf['edit']) => {
          edits += 1
          staged.write(`edit-${edits}.txt`, new Uint8Array(1))
          return finish(callId)
        },
      })
    const effect = like?.effect === 'read' ? 'read' : 'external'
    return defineTool({ ...shared, effect, run: (_args: object, { callId }) => finish(callId) })
  }

  const open = () =>
    b.open({
      tools: [...namesIn(scenario)].map(makeTool),
      rules: scenario.rules.map(renameRule),
      config: { 'tools.approval.mode': 'auto', 'tools.max_identical_failures': 3 },
      approve: (requests) => requests.map(() => 'deny' as const),
      durability: 'normal',
      clock,
      periodic: false,
    })
  let runtime = await open()
  const rows: (readonly string[])[] = []
  for (const { turn, pass, calls, afterSeconds = 0 } of scenario.steps) {
    clock.goOn(afterSeconds * 1000)
    if (restartsBetween) {
      await runtime.close()
      runtime = await open()
    }
    ends.clear()
    const made = calls.map((call, index) => {
      const { tool, args = {}, ends: end } = typeof call === 'string' ? { tool: call } : call
      if (end !== undefined) ends.set(`c${index}`, end)
      return { id: `c${index}`, name: nameOf(tool), args }
    })
    rows.push((await runtime.run(made, { session: 's', turn, pass })).map(wordRow))
  }
  return rows
}

function wordRow(row: ToolResult): string {
  const code = row.ok ? 'ok' : row.error.code
  if (row.origin === 'runtime') return `${row.name.slice(2)} by the runtime: ${code}`
  return code === 'approval_denied' ? 'ask' : code
}
