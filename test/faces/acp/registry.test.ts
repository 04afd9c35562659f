import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'

const readJson = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(TOP, ...path), 'utf8'))

describe('the entry for the registry of agents', () => {
  it('names the version that the package has, and starts the agent', () => {
    const { name, version, license } = readJson('package.json') as Record<string, string>
    expect(readJson('editors', 'registry', 'tongs', 'agent.json')).toMatchObject({
      id: name,
      version,
      license,
      distribution: { npx: { package: `${name}@${version}`, args: ['acp'] } },
    })
  })
})
