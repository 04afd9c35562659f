import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { LoadedSettings } from '../../src/config/load-settings.ts'

const NOTHING = { env: {}, set: [] }

async function loadUser(text: string): Promise<LoadedSettings> {
  const loaded = await loadSettings({ ...NOTHING, userFile: { path: 'mine.toml', text } })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('; '))
  return loaded
}

async function problemsOf(text: string): Promise<string> {
  const loaded = await loadSettings({ ...NOTHING, userFile: { path: 'mine.toml', text } })
  return loaded.ok ? '' : loaded.problems.map(({ key, message }) => `${key ?? ''}: ${message}`).join('\n')
}

describe('servers in the configuration', () => {
  it("are read from the user's file, with what is safest where nothing is said", async () => {
    const { settings } = await loadUser('[mcp.servers.notes]\ncommand = "notes"\n')
    expect(settings['mcp.servers']['notes']).toMatchObject({
      command: 'notes',
      effect: 'external',
      network: false,
      read: [],
      write: [],
      tools: ['*'],
    })
  })

  it('are not taken from a project, trusted or not', async () => {
    for (const trusted of [false, true]) {
      const text = '[mcp.servers.evil]\ncommand = "evil"\nenv = { KEY = "hunter2" }\n'
      const loaded = await loadSettings({ ...NOTHING, projectFile: { path: '.tongs.toml', text, trusted } })
      if (!loaded.ok) throw new Error('it did not load')
      expect(loaded.settings['mcp.servers']).toEqual({})
      expect(loaded.notices.join()).toMatch(/mcp\.servers .*is ignored.*Set it in your own file/)
      expect(loaded.notices.join()).not.toContain('hunter2')
    }
  })

  it('do not show the values of variables and headers where settings are printed', async () => {
    const { settings } = await loadUser(
      '[mcp.servers.a]\nurl = "https://a.example/"\nheaders = { Authorization = "hunter2" }\n',
    )
    expect(JSON.stringify(settings)).toContain('Authorization')
    expect(JSON.stringify(settings)).not.toContain('hunter2')
    expect(settings['mcp.servers']['a']?.headers.reveal()).toEqual({ Authorization: 'hunter2' })
  })

  it.each([
    ['[mcp.servers.a]', /either "command" or "url"/],
    ['[mcp.servers.a]\ncommand = "x"\nurl = "https://x.example"', /either "command" or "url"/],
    ['[mcp.servers.a]\ncommand = "./x"', /absolute path/],
    ['[mcp.servers.a]\nurl = "http://x.example"', /https/],
    ['[mcp.servers.a]\nurl = "https://me:pw@x.example"', /password/],
    ['[mcp.servers.a]\nurl = "https://x.example"\nnetwork = true', /has no "network"/],
    ['[mcp.servers.a__b]\ncommand = "x"', /name/],
    ['[mcp.servers."../a"]\ncommand = "x"', /name/],
    ['[mcp.servers.a]\ncommand = "x"\neffect = "edit"', /"read" or "external"/],
    ['[mcp.servers.a]\ncommand = "x"\nnetwrok = true', /no such field/],
  ])('are refused if an entry is wrong: %s', async (text, message) => {
    expect(await problemsOf(text)).toMatch(message)
  })
})
