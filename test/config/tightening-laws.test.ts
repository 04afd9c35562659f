import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KEY_NAMES } from '../../src/config/keys.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { SettingsInput } from '../../src/config/load-settings.ts'
import { managed, own, project } from './load.ts'
import { randomFile } from './random-file.ts'
import { findLooser } from './tightness-oracle.ts'
import { roundsOf } from '../harness/long-run.ts'

const runs = { numRuns: roundsOf(40, 200) }

function loadWith(...inputs: readonly Partial<SettingsInput>[]): ReturnType<typeof loadSettings> {
  return loadSettings(Object.assign({ env: {}, set: [] }, ...inputs))
}

/** The keys that the addition makes looser; nothing where either is refused as a whole. */
async function findLoosened(
  base: Partial<SettingsInput>,
  addition: Partial<SettingsInput>,
): Promise<readonly string[]> {
  const before = await loadWith(base)
  const after = await loadWith(base, addition)
  return before.ok && after.ok ? findLooser(before.settings, after.settings) : []
}

describe('whatever they say', () => {
  it('a project file that is not trusted makes nothing looser, key by key', async () => {
    const law = fc.asyncProperty(randomFile, randomFile, randomFile, async (mine, theirs, above) => {
      const base = { ...own(mine), configFile: { path: 'c.toml', text: above } }
      expect(await findLoosened(own(mine), project(theirs))).toEqual([])
      expect(await findLoosened(base, project(theirs))).toEqual([])
    })
    await fc.assert(law, runs)
  })

  it('a managed file makes nothing looser, key by key', async () => {
    const law = fc.asyncProperty(randomFile, randomFile, randomFile, async (mine, theirs, ruling) => {
      expect(await findLoosened({ ...own(mine), ...project(theirs, true) }, managed(ruling))).toEqual([])
    })
    await fc.assert(law, runs)
  })

  it('a result that is handed back under the same managed file stays as it is', async () => {
    const law = fc.asyncProperty(randomFile, randomFile, async (mine, ruling) => {
      const capped = await loadWith(own(mine), managed(ruling))
      const again = capped.ok ? await loadWith({ given: capped.settings }, managed(ruling)) : capped
      if (capped.ok && again.ok) expect(again.settings).toEqual(capped.settings)
    })
    await fc.assert(law, runs)
  })

  it('a file that tightens does so once: the same file again changes nothing', async () => {
    const law = fc.asyncProperty(randomFile, randomFile, async (mine, text) => {
      const once = await loadWith(own(mine), managed(text))
      const twice = await loadWith(own(mine), project(text), managed(text))
      expect(twice.ok).toBe(once.ok)
      if (once.ok && twice.ok) expect(twice.settings).toEqual(once.settings)
    })
    await fc.assert(law, runs)
  })

  it('most random files are good ones, so that these laws are about something', async () => {
    const loaded = await Promise.all(
      fc.sample(randomFile, { numRuns: 100, seed: 1 }).map((text) => loadWith(own(text))),
    )
    expect(loaded.filter(({ ok }) => ok).length).toBeGreaterThan(70)
  })

  it('the law would catch a project file that is obeyed', async () => {
    const planted = fc.asyncProperty(randomFile, randomFile, async (mine, theirs) => {
      expect(await findLoosened(own(mine), project(theirs, true))).toEqual([])
    })
    expect((await fc.check(planted, { numRuns: 200 })).failed).toBe(true)
  })

  it('the law would catch it for every key that can be loosened', async () => {
    const caught = new Set<string>()
    const samples = fc.sample(fc.tuple(randomFile, randomFile), { numRuns: 400, seed: 7 })
    for (const [mine, theirs] of samples) {
      for (const key of await findLoosened(own(mine), project(theirs, true))) caught.add(key)
    }
    // The lists that only grow, and what no project file loosens even when it is trusted.
    expect(KEY_NAMES.filter((key) => !caught.has(key))).toEqual([
      'profile',
      'tools.gates',
      'tools.sandbox.denied_patterns',
      'tools.environment.denylist',
      'tools.capabilities.granted',
      'journal.witness',
      'tools.web_fetch.allowed_origins',
      'tools.web_fetch.approved_origins',
      'tools.web_fetch.denied_origins',
      'tools.web_fetch.private_hosts',
      'mcp.servers',
      'ui.reduced_motion',
      'ui.characters',
      'ui.screen',
      'ui.mouse',
      'ui.output_lines',
      'ui.history_entries',
      'notify.terminal',
      'notify.command',
      'notify.after_seconds',
      'model.name',
      'model.base_url',
      'model.key_command',
      'model.attachments',
    ])
  })
})
