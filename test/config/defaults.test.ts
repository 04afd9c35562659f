import { describe, expect, it } from 'vitest'
import { KEY_NAMES, SPECS } from '../../src/config/keys.ts'
import { load } from './load.ts'

/** The settings of a profile whose names begin with a section, without the section. */
async function section(name: string, profile = 'strict'): Promise<Record<string, unknown>> {
  const { settings } = await load({ profile })
  const own = KEY_NAMES.filter(
    (key) => key.startsWith(`${name}.`) && !key.slice(name.length + 1).includes('.'),
  )
  return Object.fromEntries(own.map((key) => [key.slice(name.length + 1), settings[key]]))
}

describe('strict defaults', () => {
  it('CFG-TOOLS-01: strict only parses, runs nothing side by side and has the three literal limits', async () => {
    expect(await section('tools')).toMatchObject({
      mode: 'parse_only',
      allow_parallel: false,
      max_tool_calls_per_batch: 8,
      max_tool_iterations_per_user_turn: 4,
      max_tool_args_bytes: 262_144,
    })
  })

  it('CFG-SBX-01: strict works in the root alone, denies secrets and takes no absolute path', async () => {
    expect(await section('tools.sandbox')).toEqual({
      allowed_roots: ['.'],
      denied_patterns: ['**/.ssh/**', '**/*.pem'],
      allow_absolute: false,
      include_default_denies: true,
    })
  })

  it('CFG-TMO-01: calls have 30 seconds, file calls 30, commands 300, and none more than an hour', async () => {
    expect(await section('tools.timeouts')).toEqual({
      default_seconds: 30,
      file_operations_seconds: 30,
      shell_commands_seconds: 300,
      max_seconds: 3600,
    })
  })

  it('CFG-OUT-01: a result has at most 102400 bytes', async () => {
    expect((await section('tools.output'))['max_bytes']).toBe(102_400)
  })

  it('CFG-ENV-01: seven patterns of variables are kept from commands, and a layer only adds to them', async () => {
    const seven = ['*_KEY', '*_TOKEN', '*_SECRET', '*_PASSWORD', 'AWS_*', 'ANTHROPIC_*', 'OPENAI_*']
    expect((await section('tools.environment'))['denylist']).toEqual(seven)
    const { settings } = await load({ set: ['tools.environment.denylist=["MY_*"]'] })
    expect(settings['tools.environment.denylist']).toEqual([...seven, 'MY_*'])
  })

  it('CFG-APR-01: approval is on and asks, read_file is allowlisted, run_command denylisted', async () => {
    expect(await section('tools.approval')).toMatchObject({
      enabled: true,
      mode: 'prompt',
      allowlist: ['read_file'],
      denylist: ['run_command'],
      prompt_side_effects: true,
    })
  })

  it('CFG-READ-01: read_file reads 204800 bytes and scans 2097152', async () => {
    expect(await section('tools.read_file')).toMatchObject({
      max_file_read_bytes: 204_800,
      max_scan_bytes: 2_097_152,
    })
  })

  it('CFG-PATCH-01: a patch has at most 524288 bytes', async () => {
    expect((await section('tools.apply_patch'))['max_patch_bytes']).toBe(524_288)
  })

  it('CFG-LD-01: list_directory has a section of its own, whose values are taken', async () => {
    const text = `[tools.list_directory]
      max_entries = 7
      max_depth = 2
      include_hidden_default = true
      include_symlinks_default = false
      include_files_default = false
      include_dirs_default = true
      include_other_default = true`
    const { settings } = await load({ userFile: { path: 'u.toml', text } })
    expect(settings['tools.list_directory.max_entries']).toBe(7)
    expect(settings['tools.list_directory.max_depth']).toBe(2)
    expect(settings['tools.list_directory.include_hidden_default']).toBe(true)
    expect(settings['tools.list_directory.include_symlinks_default']).toBe(false)
    expect(settings['tools.list_directory.include_files_default']).toBe(false)
    expect(settings['tools.list_directory.include_dirs_default']).toBe(true)
    expect(settings['tools.list_directory.include_other_default']).toBe(true)
  })

  it('CFG-LD-05: without a section for list_directory the seven built-in values hold', async () => {
    expect(await section('tools.list_directory')).toEqual({
      max_entries: 200,
      max_depth: 4,
      include_hidden_default: false,
      include_symlinks_default: true,
      include_files_default: true,
      include_dirs_default: true,
      include_other_default: false,
    })
  })

  it('P-CFG: execution has 30 seconds, a person 300, duplicates are refused for 5 minutes, consent is demanded', async () => {
    const { settings } = await load({ profile: 'strict' })
    expect(settings['tools.timeouts.default_seconds']).toBe(30)
    expect(settings['tools.permission_timeout_seconds']).toBe(300)
    expect(settings['tools.dedupe_window_seconds']).toBe(300)
    expect(settings['tools.require_permissions']).toBe(true)
  })

  it('keeps the other numbers that are decided', async () => {
    const { settings } = await load({ profile: 'srd' })
    expect(settings).toMatchObject({
      profile: 'strict',
      'tools.edit.max_file_bytes': 8_388_608,
      'tools.write_file.max_content_bytes': 524_288,
      'tools.output.capacity_bytes': 0,
      'tools.output.fallback_capacity_bytes': 65_536,
      'tools.approval.pending_seconds': 604_800,
      'tools.retry.max': 3,
      'tools.retry.timeout_factor': 2,
      'tools.max_tool_args_depth': 64,
      'tools.edit.stale_shown_bytes': 16_384,
      'tools.session_wait_seconds': 300,
      'journal.durability': 'full',
      'tools.on_execution_error': 'continue',
      'tools.continuation': 'always',
      'tools.read_file.binary': 'base64',
      'tools.run_command.enabled': false,
      'secrets.to_model': 'ask',
    })
  })
})

describe('the profile agent', () => {
  it('differs from strict in eighteen values and no more', async () => {
    const agent = await load({})
    const strict = await load({ profile: 'strict' })
    const different = KEY_NAMES.filter(
      (key) => JSON.stringify(agent.settings[key]) !== JSON.stringify(strict.settings[key]),
    )
    const pairs = different.map((key) => [key, agent.settings[key], strict.settings[key]])
    expect(pairs).toEqual([
      ['profile', 'agent', 'strict'],
      ['tools.mode', 'enabled', 'parse_only'],
      ['tools.allow_parallel', true, false],
      ['tools.max_tool_calls_per_batch', 32, 8],
      ['tools.max_tool_iterations_per_user_turn', 50, 4],
      ['tools.on_refused_edit', 'skip_commands', 'go_on'],
      ['tools.arguments', 'lenient', 'exact'],
      ['tools.advertise', expect.arrayContaining(['read_file', 'run_shell']), ['*']],
      ['tools.sandbox.allow_absolute', true, false],
      [
        'tools.capabilities.granted',
        ['filesystem.*', 'process.*', 'network.connect', 'system.*', 'state.*'],
        ['filesystem.*', 'process.*', 'system.*', 'state.*'],
      ],
      ['tools.read_file.over_limit', 'beginning', 'refuse'],
      ['tools.read_file.name_encodings', true, false],
      ['tools.edit.group', true, false],
      ['tools.write_file.create_only', false, true],
      ['tools.search.counts_as_read', true, false],
      ['tools.run_shell.enabled', true, false],
      ['tools.run_tests.enabled', true, false],
      ['tools.shell.ask', 'after', 'before'],
      ['tools.web_fetch.enabled', true, false],
    ])
  })

  it('is what holds when nobody says anything, the same by the short way and the long way', async () => {
    const short = await load({})
    const long = await load({ userFile: { path: 'u.toml', text: '# nothing' } })
    expect({ ...short, locate: null }).toEqual({ ...long, locate: null })
    expect(short.notices).toEqual([])
    expect(short.origin['tools.mode']).toBe('profile agent')
    expect(short.origin['tools.output.max_bytes']).toBe('built in')
  })
})

describe('the table of keys', () => {
  it.for(KEY_NAMES)('describes %s by one sentence and defaults that it would accept itself', (key) => {
    const { kind, agent, strict, description } = SPECS[key]
    expect(description).toMatch(/^[A-Z][^\n]*\.$/)
    expect(kind.read(agent)).toEqual({ ok: true, value: agent })
    expect(kind.read(strict)).toEqual({ ok: true, value: strict })
    expect(key).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/)
  })

  it('holds settings that nobody can change afterwards', async () => {
    const { settings, origin } = await load({})
    expect(Object.isFrozen(settings)).toBe(true)
    expect(Object.isFrozen(origin)).toBe(true)
    expect(Object.isFrozen(settings['tools.approval.allowlist'])).toBe(true)
  })
})
