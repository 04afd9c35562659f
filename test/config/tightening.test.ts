import { describe, expect, it } from 'vitest'
import type { Key } from '../../src/config/keys.ts'
import { OF_PROJECT } from '../../src/config/rule-types.ts'
import { load, managed, own, project } from './load.ts'

describe('a project file that nobody trusts', () => {
  it.for([
    ['tools.mode', '"enabled"', '"parse_only"'],
    ['tools.allow_parallel', 'true', 'false'],
    ['tools.max_tool_calls_per_batch', '99', '8'],
    ['tools.sandbox.allow_absolute', 'true', 'false'],
    ['tools.sandbox.include_default_denies', 'false', 'true'],
    ['tools.approval.enabled', 'true', 'false'],
    ['tools.approval.mode', '"auto"', '"deny"'],
    ['tools.approval.prompt_side_effects', 'false', 'true'],
    ['tools.timeouts.shell_commands_seconds', '9999', '1.5'],
    ['tools.output.max_bytes', '999999', '5'],
    ['tools.output.capacity_bytes', '0', '100'],
    ['tools.dedupe_window_seconds', '0', '300'],
    ['tools.require_permissions', 'false', 'true'],
    ['tools.run_command.enabled', 'true', 'false'],
    ['tools.run_shell.enabled', 'true', 'false'],
    ['tools.shell.sandbox', '"none"', '"auto"'],
    ['tools.write_file.create_only', 'false', 'true'],
    ['tools.read_file.binary', '"base64"', '"refuse"'],
    ['tools.continuation', '"always"', '"heartbeat"'],
    ['tools.on_execution_error', '"continue"', '"stop"'],
    ['journal.durability', '"memory"', '"full"'],
    ['secrets.to_model', '"allow"', '"deny"'],
  ] as const)('cannot make %s looser, only tighter', async ([key, loose, tight]) => {
    const kept = await load({ ...own(`${key} = ${tight}`), ...project(`# a comment\n${key} = ${loose}`) })
    expect(JSON.stringify(kept.settings[key])).toBe(tight)
    expect(kept.origin[key]).toBe('/home/ada/config.toml')
    expect(kept.notices).toEqual([
      `.tongs.toml:2:1: ${key} = ${loose} is ignored: it is looser than what is in force, ${tight}. ` +
        'If you want it, read the file and run "tongs trust".',
    ])

    const tightened = await load({ ...own(`${key} = ${loose}`), ...project(`${key} = ${tight}`) })
    expect(JSON.stringify(tightened.settings[key])).toBe(tight)
    expect(tightened.origin[key]).toBe('.tongs.toml')
    expect(tightened.notices).toEqual([])

    const trusted = await load({ ...own(`${key} = ${tight}`), ...project(`${key} = ${loose}`, true) })
    expect(JSON.stringify(trusted.settings[key])).toBe(loose)
    expect(trusted.notices).toEqual([])
  })

  it.for([
    ['tools.definitions', '[{ name = "x", description = "y", parameters = {} }]'],
    ['tools.run_tests.command', '["rm", "-rf", "/"]'],
    ['journal.max_bytes', '1'],
    ['journal.max_age_days', '1'],
    ['tools.gates', '[{ name = "x", command = ["/bin/x"] }]'],
    ['model.name', '"compatible/theirs"'],
    ['model.base_url', '"http://evil"'],
    ['model.key_command', '["/bin/theirs"]'],
    ['notify.command', '["/bin/theirs"]'],
    ['model.context_tokens', '4000'],
    ['conversation.response_reserve_tokens', '30000'],
    ['conversation.safety_margin_tokens', '30000'],
    ['tools.edit.group', 'false'],
  ] as const)('cannot touch %s at all', async ([key, value]) => {
    const before = await load({})
    const { settings, notices } = await load(project(`${key} = ${value}`))
    expect(settings[key]).toEqual(before.settings[key])
    expect(notices).toHaveLength(1)
    expect(notices[0]).toContain(`${key} = `)
  })

  it('brings no gates even when it is trusted, because trust covers the file and not the code it names', async () => {
    const text = '[[tools.gates]]\nname = "x"\ncommand = ["/bin/x"]'
    const { settings, notices } = await load(project(text, true))
    expect(settings['tools.gates']).toEqual([])
    expect(notices[0]).toContain('Set it in your own file')
  })

  it('grants no capability even when it is trusted, and may take some away', async () => {
    const before = 'tools.capabilities.granted = ["state.*"]'
    const text = 'tools.capabilities.granted = ["state.read", "network.listen"]'
    const { settings, notices } = await load({ ...own(before), ...project(text, true) })
    expect(settings['tools.capabilities.granted']).toEqual(['state.read'])
    expect(notices[0]).toContain('["network.listen"] is ignored')
  })

  it('a managed file adds gates to those of the user and takes none away', async () => {
    const mine = '[[tools.gates]]\nname = "mine"\ncommand = ["/bin/x"]\ntools = ["run_*"]'
    const theirs = '[[tools.gates]]\nname = "theirs"\ncommand = ["/bin/y"]'
    const { settings, notices } = await load({ ...own(mine), ...managed(theirs) })
    expect(settings['tools.gates']).toEqual([
      { name: 'mine', command: ['/bin/x'], timeout_seconds: 10, tools: ['run_*'] },
      { name: 'theirs', command: ['/bin/y'], timeout_seconds: 10, tools: ['*'] },
    ])
    expect(notices).toEqual([])
    expect(
      (await load({ ...own(mine), ...managed('tools.gates = []') })).settings['tools.gates'],
    ).toHaveLength(1)
  })

  it('does not decide how the app draws, trusted or not', async () => {
    for (const trusted of [false, true]) {
      const { settings, notices } = await load(project('ui.characters = "ascii"', trusted))
      expect(settings['ui.characters']).toBe('auto')
      expect(notices[0]).toContain('ui.characters = "ascii" is ignored')
    }
  })

  it('says nothing about a value that is already so', async () => {
    const { notices } = await load(project('tools.mode = "enabled"\njournal.max_age_days = 90'))
    expect(notices).toEqual([])
  })

  it.for<[Key, string, readonly string[], readonly string[], string | null]>([
    [
      'tools.approval.allowlist',
      '["read_file", "write_file"]',
      ['read_file'],
      ['read_file'],
      '["write_file"]',
    ],
    ['tools.approval.allowlist', '[]', ['read_file'], [], null],
    ['tools.sandbox.allowed_roots', '["./", "/etc"]', ['.', 'lib'], ['.'], '["/etc"]'],
    ['tools.sandbox.allowed_roots', '["lib/../.."]', ['lib'], ['lib'], '["lib/../.."]'],
    ['tools.sandbox.allowed_roots', '[]', ['lib'], ['lib'], '[]'],
    ['tools.sandbox.allowed_roots', '[]', ['.'], ['.'], '[]'],
    ['tools.sandbox.allowed_roots', '["/data"]', ['.', '/data'], ['.', '/data'], '["/data"]'],
    ['tools.sandbox.allowed_roots', '["/data"]', ['.', '/more', '/data'], ['.', '/data'], '["/data"]'],
    ['tools.sandbox.allowed_roots', '["/data", "."]', ['.', '/data'], ['.', '/data'], null],
    ['tools.sandbox.allowed_roots', '["lib"]', ['lib', '.'], ['lib'], null],
    ['tools.shell.read', '["/opt//x/"]', ['/opt/x', '/opt/y'], ['/opt/x'], null],
    ['tools.environment.allow', '["CI", "GH"]', ['CI'], ['CI'], '["GH"]'],
    ['tools.advertise', '["read_file"]', ['*'], ['read_file'], null],
    ['tools.advertise', '["*"]', ['read_file'], ['read_file'], null],
    ['tools.advertise', '["a", "b"]', ['b', 'c'], ['b'], '["a"]'],
    ['tools.capabilities.granted', '["state.read"]', ['state.*'], ['state.read'], null],
    ['tools.capabilities.granted', '["state.*"]', ['state.read', 'state.write'], ['state.*'], null],
    ['tools.capabilities.granted', '["state.*"]', ['state.read'], ['state.read'], '["state.*"]'],
    [
      'tools.capabilities.granted',
      '["network.*", "state.read"]',
      ['state.*'],
      ['state.read'],
      '["network.*"]',
    ],
    ['tools.capabilities.granted', '[]', ['state.*'], [], null],
  ])('can only take away from %s: %s', async ([key, text, before, after, refused]) => {
    const loaded = await load({
      ...own(`${key} = ${JSON.stringify(before)}`),
      ...project(`${key} = ${text}`),
    })
    expect(loaded.settings[key]).toEqual(after)
    const ignored = loaded.notices.filter((notice) => notice.includes('is ignored'))
    expect(ignored).toHaveLength(refused === null ? 0 : 1)
    if (refused !== null) expect(ignored[0]).toContain(`${key} = ${refused} is ignored`)
  })

  it.for([
    ['tools.approval.denylist', ['run_command', 'write_file']],
    ['tools.sandbox.denied_patterns', ['**/.ssh/**', '**/*.pem', 'write_file']],
  ] as const)('can only add to %s', async ([key, after]) => {
    expect((await load(project(`${key} = ["write_file"]`))).settings[key]).toEqual(after)
    expect((await load(project(`${key} = []`))).settings[key]).toEqual(after.slice(0, -1))
  })

  it('takes no default of the stricter profile along that would loosen; whoever chooses that profile does', async () => {
    const before = (await load({})).settings['tools.advertise']
    const loaded = await load(project('profile = "strict"'))
    expect(loaded.settings['tools.mode']).toBe('parse_only')
    expect(loaded.settings['tools.advertise']).toEqual(before)
    expect((await load(own('profile = "strict"'))).settings['tools.advertise']).toEqual(['*'])
  })

  it.for([
    ['after', 'tools.shell.ask = "before"', 'both'],
    ['after', 'tools.shell.ask = "both"', 'both'],
    ['both', 'tools.shell.ask = "before"', 'both'],
    ['before', 'tools.shell.ask = "before"', 'before'],
    ['before', 'tools.shell.ask = "after"', 'before'],
  ] as const)('adds a question about commands and replaces none: %s, %s', async ([mine, text, held]) => {
    const { settings } = await load({ ...own(`tools.shell.ask = "${mine}"`), ...project(text) })
    expect(settings['tools.shell.ask']).toBe(held)
  })

  it('adds that question too if it chooses the profile strict', async () => {
    expect((await load(project('profile = "strict"'))).settings['tools.shell.ask']).toBe('both')
    expect((await load(own('profile = "strict"'))).settings['tools.shell.ask']).toBe('before')
  })

  it('adds rules that restrict and is told which were left out', async () => {
    const { settings, notices } = await load({
      ...own('[[tools.rules]]\ntool = "a"\ntype = "MaxCalls"\nmax = 1'),
      ...project(`
        [[tools.rules]]
        tool = "b"
        type = "Cooldown"
        seconds = 5
        [[tools.rules]]
        tool = "a"
        type = "MaxCalls"
        max = 1
        [[tools.rules]]
        tool = "a"
        type = "ContinueLoop"
        [[tools.rules]]
        tool = "a"
        type = "NeverDedupe"
        [[tools.rules]]
        tool = "a"
        type = "Needed"
        [[tools.rules]]
        tool = "a"
        type = "Periodic"
        seconds = 1`),
    })
    expect(settings['tools.rules']).toEqual([
      { tool: 'a', type: 'MaxCalls', priority: 0, max: 1 },
      { tool: 'b', type: 'Cooldown', priority: 0, seconds: 5, [OF_PROJECT]: true },
    ])
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatch(/ContinueLoop.*NeverDedupe/)
  })

  it('cannot loosen a syntax check, not even for an extension called constructor', async () => {
    const { settings, notices } = await load({
      ...own('tools.edit.syntax_check = { el = "warn", py = "off" }'),
      ...project('tools.edit.syntax_check = { constructor = "off", el = "off", py = "warn", ts = "refuse" }'),
    })
    expect({ ...settings['tools.edit.syntax_check'] }).toEqual({
      el: 'warn',
      json: 'refuse',
      py: 'warn',
      toml: 'refuse',
      ts: 'refuse',
    })
    expect(notices[0]).toContain('{ constructor = "off", el = "off" } is ignored')
  })

  it('is below what the user says on the command line', async () => {
    const { settings } = await load({
      ...project('tools.output.max_bytes = 5'),
      set: ['tools.output.max_bytes=6'],
    })
    expect(settings['tools.output.max_bytes']).toBe(6)
  })
})

describe('a managed file', () => {
  it('has the last word where it is tighter', async () => {
    const { settings, origin } = await load({
      ...managed('tools.mode = "disabled"\n[tools.output]\nmax_bytes = 10'),
      set: ['tools.mode=enabled', 'tools.output.max_bytes=20'],
    })
    expect(settings['tools.mode']).toBe('disabled')
    expect(settings['tools.output.max_bytes']).toBe(10)
    expect(origin['tools.mode']).toBe('managed /etc/tongs/managed.toml')
  })

  it('leaves the value in force where it is looser, and says so', async () => {
    const { settings, notices } = await load({ ...managed('tools.mode = "enabled"'), profile: 'strict' })
    expect(settings['tools.mode']).toBe('parse_only')
    expect(notices).toEqual([
      '/etc/tongs/managed.toml:1:1: tools.mode = "enabled" is ignored: ' +
        'it is looser than what is in force, "parse_only". The value in force stays.',
    ])
  })

  it('leaves of a list what is in both, and says so', async () => {
    const { settings, notices } = await load({
      ...managed('tools.approval.allowed_effects = ["read"]'),
      set: ['tools.approval.allowed_effects=["edit"]'],
    })
    expect(settings['tools.approval.allowed_effects']).toEqual([])
    expect(notices.join()).toMatch(/\["read"\] is ignored.*Only entries that are in both count\.$/)
  })

  it('can demand the strict profile, whatever the command line says', async () => {
    const { settings } = await load({ ...managed('profile = "strict"'), profile: 'agent' })
    expect(settings.profile).toBe('strict')
    expect(settings['tools.mode']).toBe('parse_only')
  })
})
