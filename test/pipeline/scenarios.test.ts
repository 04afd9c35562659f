import { describe, expect, it } from 'vitest'
import { SCENARIOS } from '../policy/rules/scenarios.ts'
import { playStory } from './scenario-stage.ts'
import { someOf } from '../harness/long-run.ts'

const STORIES = SCENARIOS.map((scenario) => [scenario.title, scenario] as const)

describe('every type of rule in a real runtime', () => {
  it.each(STORIES)('P-TESTS: %s', async (_title, scenario) => {
    expect(await playStory(scenario, false)).toEqual(scenario.steps.map(({ rows }) => rows))
  })

  it.each(someOf(STORIES, 8))('P-TESTS: after restarts: %s', async (_title, scenario) => {
    expect(await playStory(scenario, true)).toEqual(scenario.steps.map(({ rows }) => rows))
  })
})
