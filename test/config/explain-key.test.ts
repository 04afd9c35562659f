import { describe, expect, it } from 'vitest'
import { explainKey } from '../../src/config/explain-key.ts'
import { KEY_NAMES } from '../../src/config/keys.ts'
import { load } from './load.ts'

describe('explaining a key', () => {
  it('tells value, origin, type, defaults, direction, requirement, unit and meaning', async () => {
    const loaded = await load({ set: ['tools.max_tool_calls_per_batch=5'] })
    expect(explainKey(loaded, 'tools.max_tool_calls_per_batch')).toEqual({
      ok: true,
      key: 'tools.max_tool_calls_per_batch',
      value: 5,
      from: '--set',
      type: 'a whole number from 1 to 10000',
      default: { agent: 32, strict: 8 },
      tighter: 'lower',
      requirement: ['CFG-TOOLS-01', 'FR-LIM-01'],
      sentence: 'How many calls one message may contain; the rest are refused one by one.',
      unit: 'calls',
    })
  })

  it('works for every key', async () => {
    const loaded = await load({})
    for (const key of KEY_NAMES) expect(explainKey(loaded, key)).toMatchObject({ ok: true, key })
    expect(explainKey(loaded, 'tools.mode')).toMatchObject({ tighter: 'enabled < parse_only < disabled' })
    expect(explainKey(loaded, 'tools.output.capacity_bytes')).toMatchObject({
      tighter: 'lower (0 is no limit)',
    })
  })

  it.for([
    [
      'tools.outputs.max_bytes',
      'tools.outputs.max_bytes: there is no such key',
      'did you mean tools.output.max_bytes?',
    ],
    ['toString', 'toString: there is no such key', 'run "tongs config" to see every key'],
    ['\u001b[31m', String.raw`"\u001b[31m": there is no such key`, 'run "tongs config" to see every key'],
    [
      'tools.timeouts',
      'tools.timeouts is a section, not a key',
      'it holds tools.timeouts.default_seconds, tools.timeouts.file_operations_seconds, tools.timeouts.shell_commands_seconds, tools.timeouts.max_seconds',
    ],
  ] as const)('refuses %j and says what to try', async ([name, message, hint]) => {
    expect(explainKey(await load({}), name)).toEqual({ ok: false, message, hint })
  })
})
