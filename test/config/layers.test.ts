import { describe, expect, it } from 'vitest'
import { load, own, problemsOf, project } from './load.ts'

const MAX = 'tools.output.max_bytes'

describe('layers', () => {
  const layers = [
    ['the user file', { userFile: { path: 'u.toml', text: '[tools.output]\nmax_bytes = 11' } }, 11, 'u.toml'],
    [
      'a trusted project file',
      { projectFile: { path: 'p.toml', text: 'tools.output.max_bytes = 12', trusted: true } },
      12,
      'p.toml',
    ],
    [
      'the environment',
      { env: { TONGS__TOOLS__OUTPUT__MAX_BYTES: '13' } },
      13,
      'environment TONGS__TOOLS__OUTPUT__MAX_BYTES',
    ],
    ['--config', { configFile: { path: 'c.toml', text: 'tools.output.max_bytes = 14' } }, 14, 'c.toml'],
    ['a program', { given: { tools: { output: { max_bytes: 15 } } } }, 15, 'the program'],
    ['--set', { set: [`${MAX}=16`] }, 16, '--set'],
    [
      'a managed file',
      { managedFile: { path: 'm.toml', text: 'tools.output.max_bytes = 10' } },
      10,
      'managed m.toml',
    ],
  ] as const

  it.for(layers.map((layer, index) => [layer[0], index] as const))(
    '%s beats all that is weaker',
    async ([, index]) => {
      const present = layers.slice(0, index + 1)
      const { settings, origin } = await load(Object.assign({}, ...present.map(([, input]) => input)))
      expect(settings[MAX]).toBe(layers[index]?.[2])
      expect(origin[MAX]).toBe(layers[index]?.[3])
    },
  )

  it('leave alone what they do not name', async () => {
    const { settings, origin } = await load(own('[tools.output]\nmax_bytes = 11'))
    expect(settings['tools.output.fallback_capacity_bytes']).toBe(65_536)
    expect(origin['tools.output.fallback_capacity_bytes']).toBe('built in')
  })

  it('replace a list, except those that only grow', async () => {
    const { settings, origin } = await load({
      ...own('[tools]\nsandbox.denied_patterns = ["a"]\napproval.denylist = ["x"]'),
      set: ['tools.sandbox.denied_patterns=["b", "**/*.pem"]', 'tools.approval.denylist=["y"]'],
    })
    expect(settings['tools.sandbox.denied_patterns']).toEqual(['**/.ssh/**', '**/*.pem', 'a', 'b'])
    expect(origin['tools.sandbox.denied_patterns']).toBe('built in + /home/ada/config.toml + --set')
    expect(settings['tools.approval.denylist']).toEqual(['y'])
  })

  it('take the syntax check extension by extension', async () => {
    const { settings } = await load({
      ...own('[tools.edit.syntax_check]\nel = "warn"\nts = "off"'),
      set: ['tools.edit.syntax_check.ts=refuse', 'tools.edit.syntax_check={ py = "off" }'],
    })
    expect({ ...settings['tools.edit.syntax_check'] }).toEqual({
      el: 'warn',
      json: 'refuse',
      py: 'off',
      toml: 'refuse',
      ts: 'refuse',
    })
  })

  it('give a map no members of a prototype', async () => {
    const { settings } = await load({})
    expect(settings['tools.edit.syntax_check']['constructor']).toBeUndefined()
  })

  it('keep order and repetition in a command', async () => {
    const { settings } = await load({ set: ['tools.run_tests.command=["x", "-v", "-v"]'] })
    expect(settings['tools.run_tests.command']).toEqual(['x', '-v', '-v'])
  })

  it('accept settings that were loaded before, as a program hands them back', async () => {
    const text = `[[tools.rules]]
      tool = "a"
      type = "RequiresConsent"
      [[tools.rules]]
      tool = "a"
      type = "Needed"`
    const first = await load(own(text))
    const again = await load({ given: first.settings })
    expect(again.settings).toEqual(first.settings)
  })

  it('read a program’s undefined as nothing said', async () => {
    const { settings } = await load({ given: { 'tools.mode': undefined } })
    expect(settings['tools.mode']).toBe('enabled')
  })
})

describe('the profile', () => {
  it.for([
    ['own file', own('profile = "strict"'), 'strict'],
    ['--config', { configFile: { path: 'c', text: 'profile = "srd"' } }, 'strict'],
    ['environment', { env: { TONGS__PROFILE: 'strict' } }, 'strict'],
    ['--profile over a file', { ...own('profile = "strict"'), profile: 'agent' }, 'agent'],
    ['--profile over --set', { set: ['profile=agent'], profile: 'strict' }, 'strict'],
    ['project file that asks for strict', project('profile = "strict"'), 'strict'],
    ['project file below --profile', { ...project('profile = "strict"'), profile: 'agent' }, 'agent'],
  ] as const)('comes from: %s', async ([, input, profile]) => {
    const { settings } = await load(input)
    expect(settings.profile).toBe(profile)
    expect(settings['tools.max_tool_calls_per_batch']).toBe(profile === 'strict' ? 8 : 32)
  })

  it('is weaker than any file: a value set by itself stays', async () => {
    const { settings, origin } = await load({ ...own('tools.mode = "disabled"'), profile: 'strict' })
    expect(settings['tools.mode']).toBe('disabled')
    expect(origin['tools.mode']).toBe('/home/ada/config.toml')
    expect(origin['tools.write_file.create_only']).toBe('profile strict')
    expect(origin.profile).toBe('--profile')
  })

  it.for([true, false])('is never loosened by a project file (trusted: %s)', async (trusted) => {
    const text = 'profile = "agent"'
    const { settings, notices } = await load({ ...own('profile = "strict"'), ...project(text, trusted) })
    expect(settings.profile).toBe('strict')
    expect(notices).toHaveLength(1)
    expect(notices[0]).toContain('.tongs.toml:1:1: profile = "agent" is ignored')
  })

  it('must be one that exists', async () => {
    const [problem] = await problemsOf({ profile: 'strickt' })
    expect(problem).toMatchObject({ source: '--profile', key: 'profile', hint: 'did you mean strict?' })
  })
})

describe('the environment', () => {
  it('finds a key in any case and leaves other variables alone', async () => {
    const env = {
      tongs__Tools__READ_FILE__binary: 'refuse',
      TONGS_STATE_DIR: '/x',
      TONGS_CONFIG: '/y',
      PATH: '/bin',
      TONGS__TOOLS__MODE: undefined,
    }
    const { settings } = await load({ env })
    expect(settings['tools.read_file.binary']).toBe('refuse')
    expect(settings['tools.mode']).toBe('enabled')
  })

  it('is refused when it says one thing twice', async () => {
    const env = { TONGS__TOOLS__MODE: 'enabled', tongs__tools__mode: 'disabled' }
    const [problem] = await problemsOf({ env })
    expect(problem?.message).toBe('it is given twice, also as TONGS__TOOLS__MODE')
  })

  it('is refused when a value is empty or a name unknown', async () => {
    const problems = await problemsOf({ env: { TONGS__TOOLS__MODE: '', TONGS__TOOLS__MOOD: 'x' } })
    expect(problems).toMatchObject([
      { source: 'environment TONGS__TOOLS__MODE', message: 'it has no value' },
      { source: 'environment TONGS__TOOLS__MOOD', key: 'tools.mood', hint: 'did you mean tools.mode?' },
    ])
  })
})

describe('run_command', () => {
  const on = ['tools.run_command.enabled=true']

  it('leaves the built-in denylist when it is enabled', async () => {
    const { settings } = await load({ set: on })
    expect(settings['tools.approval.denylist']).toEqual([])
  })

  it.for([
    ['own', own('tools.approval.denylist = ["run_command"]'), ['run_command']],
    ['project', project('tools.approval.denylist = ["run_command"]'), ['run_command']],
    [
      'managed',
      { managedFile: { path: 'm', text: 'tools.approval.denylist = ["run_command"]' } },
      ['run_command'],
    ],
    ['project that names another', project('tools.approval.denylist = ["write_file"]'), ['write_file']],
  ] as const)('stays denied where somebody wrote it down: %s', async ([, input, denylist]) => {
    const { settings } = await load({ ...input, set: on })
    expect(settings['tools.approval.denylist']).toEqual(denylist)
  })

  it('is not switched on by a denylist without it', async () => {
    const { settings } = await load({ set: ['tools.approval.denylist=["write_file"]'] })
    expect(settings['tools.run_command.enabled']).toBe(false)
  })
})

describe('values that only make sense together', () => {
  it('are refused where a listing could show nothing', async () => {
    const [problem] = await problemsOf(
      own(`[tools.list_directory]
      include_files_default = false
      include_dirs_default = false
      include_symlinks_default = false`),
    )
    expect(problem?.message).toContain('are all false')
    expect(problem?.source).toBe('/home/ada/config.toml')
  })

  it('are pointed out where they look odd', async () => {
    const { notices } = await load({
      set: [
        'tools.approval.allowlist=["a"]',
        'tools.approval.denylist=["a"]',
        'tools.environment.allow=["LD_PRELOAD", "CI", "ENV"]',
        'tools.sandbox.allowed_roots=[]',
      ],
    })
    expect(notices).toHaveLength(4)
    expect(notices.join('\n')).toMatch(/a is in both[^]*every path will be refused[^]*LD_PRELOAD[^]*ENV/)
  })
})
