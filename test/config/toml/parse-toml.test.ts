import { describe, expect, it } from 'vitest'
import { parseToml, parseValue } from '../../../src/config/toml/parse-toml.ts'
import { load, problemsOf } from '../load.ts'

describe('a value given as text', () => {
  it.for<[string, unknown]>([
    ['true', true],
    [' false ', false],
    ['5', 5],
    ['-5', -5],
    ['+5', 5],
    ['1_000', 1000],
    ['0x10', 16],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['007', '007'],
    ['2x', '2x'],
    ['enabled', 'enabled'],
    ['/a/b.c', '/a/b.c'],
    ['a=b', 'a=b'],
    ['*', '*'],
    ['""', ''],
    ['"a b"', 'a b'],
    ["'a b'", 'a b'],
    [String.raw`"a\tb"`, 'a\tb'],
    ['[]', []],
    ['["a"]', ['a']],
    ['[ "a" , "b" ]', ['a', 'b']],
    ['["a", "b",]', ['a', 'b']],
    ["['a', 1]", ['a', 1]],
    ['"a" # why', 'a'],
  ])('is read from %j', async ([text, value]) => {
    expect(await parseValue(text)).toEqual({ ok: true, value })
  })

  it.for([
    ['', 'no value'],
    ['  ', 'no value'],
    ['a b', 'neither a TOML value nor a single word'],
    ['a\u0000b', 'neither'],
    ['1 2', 'neither'],
    ['"a', 'not valid TOML'],
    ['["a"', 'not valid TOML'],
    ['["a"]\n[tools]\nmode = "enabled"', 'more than one value'],
    ['"x"\nother = 1', 'more than one value'],
    ['5\nother = 1', 'neither'],
  ] as const)('is refused in %j', async ([text, message]) => {
    const reading = await parseValue(text)
    expect(reading.ok ? '' : reading.message).toContain(message)
  })

  it('may be a table for a key that is one', async () => {
    const rule = '{ tool = "a", type = "MaxCalls", max = 1, priority = 5 }'
    const { settings } = await load({ set: [`tools.rules=[${rule}]`] })
    expect(settings['tools.rules']).toEqual([{ tool: 'a', type: 'MaxCalls', max: 1, priority: 5 }])
  })

  it('belongs to a key, on both sides of the first equals sign', async () => {
    const { settings } = await load({ set: [' tools.approval.allowlist = ["a=b"]'] })
    expect(settings['tools.approval.allowlist']).toEqual(['a=b'])
    for (const text of ['', '=', '=1', 'tools.mode']) {
      expect(await problemsOf({ set: [text] })).toMatchObject([
        { source: '--set', hint: 'write --set KEY=VALUE, such as tools.mode=enabled' },
      ])
    }
    expect(await problemsOf({ set: ['tools.mode='] })).toMatchObject([
      { key: 'tools.mode', message: 'it has no value' },
    ])
    expect(await problemsOf({ set: ['__proto__=1'] })).toMatchObject([{ key: '__proto__' }])
  })
})

describe('a file with keys of very many parts', () => {
  const parts = 'a.'.repeat(100_000)
  it.for([
    ['a dotted key', `${parts}a = 1`],
    ['the header of a table', `[${parts}a]\nb = 1`],
    ['the header of a list', `[[${parts}a]]\nb = 1`],
    ['a key within a table', `x = { ${parts}a = 1 }`],
  ])('is refused at once: %s', async ([, text]) => {
    expect(await parseToml(text ?? '')).toMatchObject({
      ok: false,
      message: expect.stringContaining('nested deeper than 64'),
    })
  })
})
