import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { SettingsInput } from '../../src/config/load-settings.ts'
import { findPreset, PRESET_NAMES, PRESETS } from '../../src/config/presets.ts'
import { load, managed, own, problemsOf, project } from './load.ts'
import { randomFile } from './random-file.ts'
import { findLooser } from './tightness-oracle.ts'
import { roundsOf } from '../harness/long-run.ts'

const EFFECTS = 'tools.approval.approved_effects'
const MODE = 'tools.approval.mode'

function loadWith(...inputs: readonly Partial<SettingsInput>[]): ReturnType<typeof loadSettings> {
  return loadSettings(Object.assign({ env: {}, set: [] }, ...inputs))
}

describe('presets', () => {
  it('there are four, and each is nothing but values that its keys accept', async () => {
    expect(PRESET_NAMES).toEqual(['plan', 'ask', 'edits', 'auto'])
    for (const preset of PRESET_NAMES) {
      const { settings, notices } = await load({ preset })
      expect(settings).toMatchObject(PRESETS[preset].values)
      expect(findPreset(settings)).toBe(preset)
      expect(notices).toEqual([])
    }
    expect((await load({ preset: 'edits' })).origin[EFFECTS]).toBe('--preset edits')
  })

  it('a preset stands above --config, and --set and a program stand above it', async () => {
    const configFile = { path: 'c.toml', text: `${EFFECTS} = ["spawn"]` }
    const value = async (more: Partial<SettingsInput>) =>
      (await load({ configFile, preset: 'edits', ...more })).settings[EFFECTS]
    expect(await value({})).toEqual(['edit'])
    expect(await value({ set: [`${EFFECTS}=[]`] })).toEqual([])
    expect(await value({ given: { [EFFECTS]: ['edit', 'spawn'] } })).toEqual(['edit', 'spawn'])
  })

  it('a preset lifts no denial: it tightens everything but what may run without a question', async () => {
    const denying = `${MODE} = "deny"\ntools.approval.allowed_effects = ["read"]`
    const { settings, notices } = await load({ ...own(denying), preset: 'auto' })
    expect(settings[MODE]).toBe('deny')
    expect(settings['tools.approval.allowed_effects']).toEqual(['read'])
    expect(notices.join()).toContain('--preset auto: tools.approval.mode = "prompt" is ignored')
    expect((await load({ ...own(`${MODE} = "auto"`), preset: 'ask' })).settings[MODE]).toBe('prompt')
  })

  it.for([false, true])(
    'what a project tightens holds under every preset (trusted: %s)',
    async (isTrusted) => {
      const file = project(`${EFFECTS} = ["spawn"]`, isTrusted)
      expect((await load({ ...file, preset: 'auto' })).settings[EFFECTS]).toEqual(['spawn'])
      expect((await load({ ...file, preset: 'edits' })).settings[EFFECTS]).toEqual([])
    },
  )

  it('what the machine’s owner forbids holds under every preset', async () => {
    const { settings } = await load({
      ...managed(`${EFFECTS} = ["spawn"]\n${MODE} = "deny"`),
      preset: 'auto',
    })
    expect(settings[EFFECTS]).toEqual(['spawn'])
    expect(settings[MODE]).toBe('deny')
  })

  it('under any configuration a preset loosens that one key and no other', async () => {
    const law = fc.asyncProperty(
      randomFile,
      randomFile,
      fc.constantFrom(...PRESET_NAMES),
      async (mine, theirs, preset) => {
        const base = { ...own(mine), ...project(theirs) }
        const before = await loadWith(base)
        const after = await loadWith(base, { preset })
        if (!before.ok || !after.ok) return
        expect(findLooser(before.settings, after.settings).filter((key) => key !== EFFECTS)).toEqual([])
      },
    )
    await fc.assert(law, { numRuns: roundsOf(40, 200) })
  })

  it('a managed file makes nothing looser that a preset has settled', async () => {
    const law = fc.asyncProperty(
      randomFile,
      randomFile,
      fc.constantFrom(...PRESET_NAMES),
      async (mine, ruling, preset) => {
        const before = await loadWith(own(mine), { preset })
        const after = await loadWith(own(mine), managed(ruling), { preset })
        if (before.ok && after.ok) expect(findLooser(before.settings, after.settings)).toEqual([])
      },
    )
    await fc.assert(law, { numRuns: roundsOf(40, 200) })
  })

  it.for([
    ['edts', 'did you mean edits?'],
    ['toString', 'there are plan, ask, edits, auto'],
    ['\u001b[31m', 'there are plan, ask, edits, auto'],
  ] as const)('a preset that does not exist is refused with what there is: %j', async ([preset, hint]) => {
    const [problem] = await problemsOf({ preset })
    expect(problem).toMatchObject({ message: 'there is no such preset', hint })
    expect(problem?.source).not.toContain('\u001b')
  })

  it('an effect that nobody knows is refused, with the word that was meant', async () => {
    const [problem] = await problemsOf({ set: [`${EFFECTS}=["edti"]`] })
    expect(problem).toMatchObject({ key: `${EFFECTS}.0`, hint: 'did you mean edit?' })
  })
})
