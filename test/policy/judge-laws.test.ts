import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { SettingsInput } from '../../src/config/load-settings.ts'
import type { Settings } from '../../src/config/keys.ts'
import { CAPABILITIES, expandCapability } from '../../src/core/capability.ts'
import type { CallFacts } from '../../src/policy/facts.ts'
import { judge } from '../../src/policy/judge.ts'
import { managed, own, project } from '../config/load.ts'
import { randomFile } from '../config/random-file.ts'
import { randomFacts } from './random-facts.ts'
import { roundsOf } from '../harness/long-run.ts'

const STRICTNESS = { run: 0, ask: 1, settle: 2 } as const

function strictness(facts: CallFacts, settings: Settings): number {
  return STRICTNESS[judge(facts, settings).verdict]
}

async function settingsOf(...inputs: readonly Partial<SettingsInput>[]): Promise<Settings | null> {
  const loaded = await loadSettings(Object.assign({ env: {}, set: [] }, ...inputs))
  return loaded.ok ? loaded.settings : null
}

const policyFile = randomFile.map((text) =>
  text
    .split('\n')
    .filter((line) => /^tools\.(mode|approval|max_tool|run_|capabilities|gates|resources)/.test(line))
    .join('\n'),
)
const manyFacts = fc.array(randomFacts, { minLength: 20, maxLength: 20 })

describe('policy', () => {
  it.for([
    ['a managed file', managed],
    ['a project’s file', (text: string) => project(text)],
  ] as const)('%s never allows more than there was without it', async ([, tighter]) => {
    const law = fc.asyncProperty(policyFile, policyFile, manyFacts, async (mine, theirs, calls) => {
      const before = await settingsOf(own(mine))
      const after = await settingsOf(own(mine), tighter(theirs))
      if (before === null || after === null) return
      for (const facts of calls)
        expect(strictness(facts, after)).toBeGreaterThanOrEqual(strictness(facts, before))
    })
    await fc.assert(law, { numRuns: roundsOf(60, 300) })
  })

  it('a further name on the denylist never allows more, and stops that tool', async () => {
    const law = fc.asyncProperty(policyFile, manyFacts, async (mine, calls) => {
      const before = await settingsOf(own(mine))
      if (before === null) return
      for (const facts of calls) {
        const key = 'tools.approval.denylist'
        const after = { ...before, [key]: [...before[key], facts.name] }
        expect(strictness(facts, after)).toBe(STRICTNESS.settle)
        const other = { ...before, [key]: [...before[key], 'another'] }
        expect(judge(facts, other)).toEqual(judge(facts, before))
      }
    })
    await fc.assert(law, { numRuns: roundsOf(20, 100) })
  })

  it('a name less on the allowlist never allows more', async () => {
    const law = fc.asyncProperty(policyFile, manyFacts, async (mine, calls) => {
      const before = await settingsOf(own(mine))
      if (before === null) return
      for (const facts of calls) {
        const key = 'tools.approval.allowlist'
        const after = { ...before, [key]: before[key].filter((name) => name !== facts.name) }
        expect(strictness(facts, after)).toBeGreaterThanOrEqual(strictness(facts, before))
      }
    })
    await fc.assert(law, { numRuns: roundsOf(20, 100) })
  })

  it('a capability less never allows more, whatever else holds', async () => {
    const law = fc.asyncProperty(policyFile, manyFacts, fc.nat(), async (mine, calls, at) => {
      const before = await settingsOf(own(mine))
      if (before === null) return
      const key = 'tools.capabilities.granted'
      const all = CAPABILITIES.filter((one) =>
        before[key].some((word) => expandCapability(word).includes(one)),
      )
      const after = { ...before, [key]: all.filter((_one, index) => index !== at % Math.max(1, all.length)) }
      for (const facts of calls)
        expect(strictness(facts, after)).toBeGreaterThanOrEqual(strictness(facts, before))
    })
    await fc.assert(law, { numRuns: roundsOf(20, 100) })
  })

  it('the law would notice a file that is obeyed when it loosens', async () => {
    const planted = fc.asyncProperty(policyFile, policyFile, manyFacts, async (mine, theirs, calls) => {
      const before = await settingsOf(own(mine))
      const after = await settingsOf(own(mine), project(theirs, true))
      if (before === null || after === null) return
      for (const facts of calls)
        expect(strictness(facts, after)).toBeGreaterThanOrEqual(strictness(facts, before))
    })
    expect((await fc.check(planted, { numRuns: 300 })).failed).toBe(true)
  })

  it('random calls reach every verdict, so that these laws are about something', async () => {
    const settings = await settingsOf()
    if (settings === null) throw new Error('the defaults are good')
    const seen = fc.sample(randomFacts, { numRuns: 400, seed: 3 }).map((facts) => judge(facts, settings))
    for (const verdict of ['run', 'ask', 'settle'])
      expect(seen.filter((one) => one.verdict === verdict).length).toBeGreaterThan(40)
    expect(new Set(seen.map(({ findings }) => findings.at(-1)?.gate)).size).toBeGreaterThan(8)
  })
})
