import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ENTRY = join(import.meta.dirname, '..', '..', 'src', 'config', 'load-settings.ts')

/** The modules that Node loads to read a configuration. */
function modulesLoadedFor(input: object): readonly string[] {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const { loadSettings } = await import(${JSON.stringify(ENTRY)})
    const result = await loadSettings(${JSON.stringify({ env: {}, set: [], ...input })})
    console.log(JSON.stringify({ ok: result.ok, loaded }))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  const { ok, loaded } = JSON.parse(output) as { ok: boolean; loaded: readonly string[] }
  expect(ok).toBe(true)
  return loaded
}

function hasToml(modules: readonly string[]): boolean {
  return modules.some((url) => url.includes('smol-toml'))
}

describe('starting up', () => {
  it('loads no TOML parser and few modules where nothing is configured', () => {
    const modules = modulesLoadedFor({})
    expect(hasToml(modules)).toBe(false)
    expect(modules.length).toBeLessThanOrEqual(21)
  })

  it('loads no TOML parser for the usual options and variables', () => {
    const set = ['tools.mode=enabled', 'tools.approval.denylist=["write_file"]', 'tools.output.max_bytes=5']
    expect(
      hasToml(modulesLoadedFor({ set, profile: 'strict', env: { TONGS__TOOLS__MODE: 'enabled' } })),
    ).toBe(false)
  })

  it('loads it for a file', () => {
    expect(hasToml(modulesLoadedFor({ userFile: { path: 'u', text: 'tools.mode = "enabled"' } }))).toBe(true)
  })
})
