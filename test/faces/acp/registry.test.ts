import { readdirSync, readFileSync } from 'node:fs'
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

  it('has the form that the registry checks', () => {
    const entry = readJson('editors', 'registry', 'tongs', 'agent.json') as Record<string, string>
    expect(entry['id']).toMatch(/^[a-z][a-z0-9-]*$/)
    expect(entry['version']).toMatch(/^\d+\.\d+\.\d+/)
    for (const key of ['name', 'description']) expect(entry[key]).not.toBe('')
    const icon = readFileSync(join(TOP, 'editors', 'registry', 'tongs', 'icon.svg'), 'utf8')
    expect(icon).toMatch(/^<svg [^>]*width="16" height="16"/)
  })
})

describe('the pages of editors', () => {
  const pages = readdirSync(join(TOP, 'editors')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )

  it.for(pages)('%s starts the agent, and its settings are what they look like', (name) => {
    const page = readFileSync(join(TOP, 'editors', name), 'utf8')
    expect(page).toMatch(/"tongs", "acp"|tongs", "args": \["acp"\]|command = "tongs", args = \{ "acp" \}/)
    for (const [, json = ''] of page.matchAll(/```json\n([\s\S]*?)```/g))
      expect(Object.keys(JSON.parse(json) as object)).toHaveLength(1)
    const index = readFileSync(join(TOP, 'editors', 'README.md'), 'utf8')
    expect(index).toContain(`(${name})`)
  })
})
