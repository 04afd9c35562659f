import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { useShops } from './command-line.ts'

const shop = useShops()
const text = (name: string): string => `---\nname: ${name}\ndescription: Does it\n---\nText.\n`

it('doctor lists the skills, and those left out with the reason, until tongs trust was run', async () => {
  const s = shop({ '.claude/skills/build/SKILL.md': text('build') })
  const config = s.env['XDG_CONFIG_HOME'] ?? ''
  const folder = join(config, 'tongs', 'skills')
  for (const name of ['mine', 'odd']) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'SKILL.md'), text('mine'))
  }
  const linesOf = async (): Promise<Record<string, readonly string[]>> => {
    // A command takes its own variables away with all others.
    vi.stubEnv('XDG_CONFIG_HOME', config)
    return JSON.parse((await s.tongs(['doctor', '--json'])).out)
  }
  const before = await linesOf()
  expect(before['skills']).toEqual([`mine: ${join(folder, 'mine')}`])
  expect(before['skills_left_out']).toEqual([
    expect.stringMatching(/build.*not trusted as they are now/),
    expect.stringMatching(/odd.*not that of its folder/),
  ])
  expect(before['commands_can_read']).toContain(join(folder, 'mine'))
  expect(before['commands_can_read']).not.toContain(join(folder, 'odd'))
  const trusted = JSON.parse((await s.tongs(['trust', '--json'])).out)
  expect(trusted).toEqual({
    commands: [],
    roles: [],
    skills: [join(s.root, '.claude/skills/build/SKILL.md')],
  })
  expect((await linesOf())['skills']).toHaveLength(2)
})
