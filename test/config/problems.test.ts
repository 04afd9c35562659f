import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import { load, managed, own, problemsOf, project } from './load.ts'

describe('a wrong value', () => {
  it.for<[string, number, number, string, string, string?]>([
    [
      '[tools]\nmode = 5',
      2,
      1,
      'tools.mode',
      'it must be one of "enabled", "parse_only", "disabled"; found the integer 5',
    ],
    ['[tools]\nmode = "enable"', 2, 1, 'tools.mode', 'found the string "enable"', 'did you mean enabled?'],
    [
      '\n  tools.output.max_bytes = "5"',
      2,
      3,
      'tools.output.max_bytes',
      'a whole number from 1 to 1073741824; found the string "5"',
      'write it without quotes',
    ],
    ['tools.output = { max_bytes = 0 }', 1, 18, 'tools.output.max_bytes', '0 is out of range'],
    ['tools.output.max_bytes = 1.5', 1, 1, 'tools.output.max_bytes', 'found the float 1.5'],
    [
      'tools.output.max_bytes = 99999999999999999999',
      1,
      1,
      'tools.output.max_bytes',
      '99999999999999999999 is out of range',
    ],
    ['tools.retry.max = 4', 1, 1, 'tools.retry.max', 'from 0 to 3; 4 is out of range'],
    ['tools.timeouts.default_seconds = nan', 1, 1, 'tools.timeouts.default_seconds', 'found the float NaN'],
    [
      'tools.timeouts.default_seconds = inf',
      1,
      1,
      'tools.timeouts.default_seconds',
      'Infinity is out of range',
    ],
    ['tools.timeouts.default_seconds = 2020-01-01', 1, 1, 'tools.timeouts.default_seconds', 'found a date'],
    [
      'tools.allow_parallel = "yes"',
      1,
      1,
      'tools.allow_parallel',
      'it must be true or false; found the string "yes"',
    ],
    [
      'tools.approval.allowlist = "read_file"',
      1,
      1,
      'tools.approval.allowlist',
      'a list of strings',
      'write ["read_file"]',
    ],
    [
      '[tools.approval]\nallowlist = [\n  "a",\n  7,\n]',
      4,
      3,
      'tools.approval.allowlist.1',
      'it must be a string; found the integer 7',
    ],
    ['tools.approval.allowlist = [""]', 1, 29, 'tools.approval.allowlist.0', 'it must not be empty'],
    [
      'tools.approval.allowlist = ["a\\nb"]',
      1,
      29,
      'tools.approval.allowlist.0',
      'control characters; found the string "a\\nb"',
    ],
    ['tools = 1', 1, 1, 'tools', 'it is a section, not a value; found the integer 1'],
    ['tools.mode = { a = 1 }', 1, 1, 'tools.mode', 'found a table'],
    [
      'tools.edit.syntax_check = { el = "never" }',
      1,
      29,
      'tools.edit.syntax_check.el',
      'it must be one of "off", "warn", "refuse"',
    ],
    [
      'tools.edit.syntax_check = { ".el" = "off" }',
      1,
      29,
      'tools.edit.syntax_check..el',
      'this is not a file extension',
    ],
    ['"tools.mode" = "disabled"\n[tools]\nmode = "enabled"', 1, 1, 'tools.mode', 'it is given twice'],
  ])('in %j is named with its place', async ([text, line, column, key, message, hint]) => {
    const problems = await problemsOf(own(text))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ source: '/home/ada/config.toml', line, column, key })
    expect(problems[0]?.message).toContain(message)
    if (hint !== undefined) expect(problems[0]?.hint).toBe(hint)
  })

  it.for<[string, string, string]>([
    ['type = "MaxCalls"', 'tools.rules.0', 'a rule of type MaxCalls needs "max"'],
    ['type = "MaxCalls"\nmax = -1', 'tools.rules.0.max', '-1 is out of range'],
    [
      'type = "MaxCalls"\nmax = 1\nseconds = 2',
      'tools.rules.0.seconds',
      'a rule of type MaxCalls has no such field',
    ],
    ['type = "maxcalls"', 'tools.rules.0.type', 'there is no such rule type; found the string "maxcalls"'],
    ['type = "toString"', 'tools.rules.0.type', 'there is no such rule type'],
    ['max = 1', 'tools.rules.0', 'a rule needs "type"'],
    ['type = "ExclusiveGroups"\ngroups = ["a"]', 'tools.rules.0.groups.0', 'it must be a list of strings'],
    ['type = "RequiresPrecedingTools"\ntools = []', 'tools.rules.0.tools', 'it must name at least one'],
    ['type = "Cooldown"\nseconds = 0', 'tools.rules.0.seconds', '0 is out of range'],
  ])('in a rule with %j is named', async ([text, key, message]) => {
    const problems = await problemsOf(own(`[[tools.rules]]\ntool = "a"\n${text}`))
    expect(problems).toHaveLength(1)
    expect(problems[0]?.key).toBe(key)
    expect(problems[0]?.message).toContain(message)
    expect(problems[0]?.line).toBeGreaterThan(0)
  })

  it('needs a tool in a rule, and says in which rule', async () => {
    const text = '[[tools.rules]]\ntool = "a"\ntype = "ExitLoop"\n\n[[tools.rules]]\ntype = "ExitLoop"'
    expect(await problemsOf(own(text))).toMatchObject([
      { line: 5, column: 1, message: 'a rule of type ExitLoop needs "tool"' },
    ])
  })

  it.for([
    ['filesystem.reed', 'did you mean filesystem.read?'],
    ['network', 'did you mean network.*?'],
    ['*', 'there are filesystem.read'],
    ['toString', 'there are filesystem.read'],
  ])('is no capability: %s', async ([word, hint]) => {
    const [problem] = await problemsOf(own(`tools.capabilities.granted = ["state.*", "${word}"]`))
    expect(problem?.key).toBe('tools.capabilities.granted.1')
    expect(problem?.message).toContain('there is no such capability')
    expect(problem?.hint).toContain(hint)
  })

  it.for([
    ['name = "g"', 'tools.gates.0', 'a gate needs "command"'],
    ['name = "g"\ncommand = []', 'tools.gates.0.command', 'it must name a program'],
    ['name = "g"\ncommand = 1', 'tools.gates.0.command', 'it must be a list of strings'],
    ['program = "g"\ncommand = "g"', 'tools.gates.0.program', 'it means the same as "command"'],
    ['name = "g"\ncommand = ["./g"]', 'tools.gates.0.command.0', 'it must be an absolute path'],
    ['name = "g"\ncommand = ["~/g"]', 'tools.gates.0.command.0', 'it must be an absolute path'],
    ['name = "g"\ncommand = ["g"]\ntimeout_seconds = 0', 'tools.gates.0.timeout_seconds', 'out of range'],
    ['name = "g"\ncommand = ["g"]\ntools = []', 'tools.gates.0.tools', 'it must name at least one'],
    [
      'name = "g"\ncommand = ["g"]\ntools = ["a b"]',
      'tools.gates.0.tools.0',
      'it must be the name of a tool',
    ],
    ['name = "g"\nmodule = "./g.js"\ncommand = ["g"]', 'tools.gates.0.module', 'a gate has no such field'],
  ])('in a gate with %j is named', async ([text, key, message]) => {
    const [problem] = await problemsOf(own(`[[tools.gates]]\n${text}`))
    expect(problem?.key).toBe(key)
    expect(problem?.message).toContain(message)
  })

  it.for(['command = ["/bin/g"]', 'command = "/bin/g"', 'program = "/bin/g"'])(
    'a gate may name its program alone: %s',
    async (text) => {
      const { settings } = await load(own(`[[tools.gates]]\n${text}`))
      expect(settings['tools.gates']).toMatchObject([{ name: 'g', command: ['/bin/g'] }])
    },
  )

  it.for(['1', '"x"', '{}', '[1]', '[[]]'])('is no list of tables: %s', async (value) => {
    for (const key of ['tools.rules', 'tools.gates', 'tools.definitions']) {
      expect((await problemsOf(own(`${key} = ${value}`)))[0]?.key).toMatch(new RegExp(`^${key}`))
    }
  })

  it('keeps a tool definition as plain JSON', async () => {
    const text = `[[tools.definitions]]
      name = "weather"
      description = "Tells the weather"
      parameters = { "type"="object", "properties"={ "place"={ "type"="string" } }, "required"=["place"] }`
    const { settings } = await load(own(text))
    expect(settings['tools.definitions']).toStrictEqual([
      {
        name: 'weather',
        description: 'Tells the weather',
        parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
      },
    ])
  })
})

describe('a key nobody knows', () => {
  it.for([
    ['tools.mod = 1', 'tools.mod', 'did you mean tools.mode?'],
    ['[tools]\nmax_bytes = 1', 'tools.max_bytes', 'did you mean tools.output.max_bytes?'],
    ['[tools.aproval]\nmode = "deny"', 'tools.aproval', 'did you mean tools.approval?'],
    ['hooks = []', 'hooks', 'run "tongs config" to see every key'],
    ['[model]\nproxy = "http://evil"', 'model.proxy', 'run "tongs config" to see every key'],
    ['__proto__ = { x = 1 }', '__proto__', 'run "tongs config" to see every key'],
    ['[tools]\n__proto__.mode = "enabled"', 'tools.__proto__', 'run "tongs config" to see every key'],
    ['tools.constructor = 1', 'tools.constructor', 'run "tongs config" to see every key'],
    ['"tools.mode\\u202E" = 1', String.raw`"tools.mode\u{202e}"`, 'did you mean tools.mode?'],
  ] as const)('is an error wherever it stands: %j', async ([text, key, hint]) => {
    for (const input of [own(text), project(text), project(text, true), managed(text)]) {
      const problems = await problemsOf(input)
      expect(problems).toMatchObject([{ key, message: 'there is no such key', hint }])
      expect(problems[0]?.line).toBeGreaterThan(0)
    }
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })

  it('does not take for ever when there are very many', async () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `k${String(index)} = 1`).join('\n')
    expect(await problemsOf(own(text))).toHaveLength(20)
  })
})

describe('a file that is no TOML', () => {
  it.for([
    ['[tools\nmode = 1', 1],
    ['tools.mode = ', 1],
    ['a = 1\na = 2', 2],
    [`a = ${'['.repeat(100)}${']'.repeat(100)}`, 1],
  ] as const)('is named with line and column: %j', async ([text, line]) => {
    const [problem] = await problemsOf(own(text))
    expect(problem).toMatchObject({ source: '/home/ada/config.toml', line })
    expect(problem?.column).toBeGreaterThan(0)
    expect(problem?.message).toMatch(/^it is not valid TOML: [^\n]+$/)
  })

  it('is refused when it is far too long', async () => {
    const [problem] = await problemsOf(own(`#${'x'.repeat(1024 ** 2)}`))
    expect(problem?.message).toContain('too long')
  })

  it('is not needed: an empty one says nothing', async () => {
    expect((await load(own('\uFEFF  \n'))).settings['tools.mode']).toBe('enabled')
  })
})

describe('several problems', () => {
  it('are told together, over all layers', async () => {
    const result = await loadSettings({
      profile: 'x',
      env: { TONGS__A: '1' },
      set: ['tools.mode', 'b=1'],
      ...own('c = 1'),
      ...project('d = 1'),
      ...managed('e ='),
    })
    const sources = result.ok ? [] : result.problems.map(({ source }) => source)
    expect(sources).toEqual([
      '/home/ada/config.toml',
      '.tongs.toml',
      'environment TONGS__A',
      '--set',
      '--set',
      '--profile',
      '/etc/tongs/managed.toml',
    ])
  })
})
