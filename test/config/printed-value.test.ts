import { describe, expect, it } from 'vitest'
import { explainKey } from '../../src/config/explain-key.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import { printedValue } from '../../src/config/show-value.ts'
import { printedAddress, printedWords } from '../../src/core/text/secrets/printed-words.ts'

const NOTHING = { env: {}, set: [] }

describe('settings as they are printed', () => {
  it.each([
    ['https://a.example/mcp?api_key=hunter2', 'https://a.example/mcp?…'],
    ['https://a.example/mcp?hunter2', 'https://a.example/mcp?…'],
    ['https://a.example/mcp#hunter2', 'https://a.example/mcp#…'],
    ['https://a.example/mcp', 'https://a.example/mcp'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
  ])('%s is shown as %s', (written, shown) => {
    expect(printedAddress(written)).toBe(shown)
  })

  it('show the words of a command without its secrets', () => {
    const words = ['--folder', '/home/me/notes', '--api-key', 'hunter2', '--token=hunter2', 'API_KEY=hunter2']
    expect(printedWords([...words, '--verbose', '--url', 'https://a.example/?k=hunter2'])).toEqual([
      '--folder',
      '/home/me/notes',
      '--api-key',
      '[redacted]',
      '--token=[redacted]',
      'API_KEY=[redacted]',
      '--verbose',
      '--url',
      'https://a.example/?…',
    ])
    expect(printedWords(['pass', 'show', 'token', 'anthropic'])).toEqual([
      'pass',
      'show',
      'token',
      'anthropic',
    ])
  })

  it('quote no secret of a server, a gate or the command for a key, whoever asks', async () => {
    const text = [
      '[model]',
      'key_command = ["vault", "--token", "hunter2", "read"]',
      '[mcp.servers.a]',
      'url = "https://a.example/mcp?key=hunter2"',
      'headers = { Authorization = "hunter2" }',
      '[mcp.servers.b]',
      'command = "b"',
      'args = ["--password", "hunter2"]',
      'env = { KEY = "hunter2" }',
      '[[tools.gates]]',
      'name = "g"',
      'command = ["/bin/g", "--secret=hunter2"]',
    ].join('\n')
    const loaded = await loadSettings({ ...NOTHING, userFile: { path: 'mine.toml', text } })
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('; '))
    const keys = ['mcp.servers', 'model.key_command', 'tools.gates'] as const
    const shown = JSON.stringify(
      keys.map((key) => [printedValue(key, loaded.settings[key]), explainKey(loaded, key)]),
    )
    expect(shown).not.toContain('hunter2')
    expect(shown).toContain('https://a.example/mcp?…')
    expect(shown).toContain('vault')
    expect(JSON.stringify(loaded.settings['mcp.servers']['b']?.args)).toContain('hunter2')
  })

  it.each([
    '[mcp.servers.a]\nurl = "https://a.example"\nheaders = "Bearer hunter2"',
    '[mcp.servers.a]\ncommand = "a"\nenv = ["KEY=hunter2"]',
    '[mcp.servers.a]\ncommand = "a"\nargs = "--token hunter2"',
    '[mcp.servers.a]\ncommand = "a"\nargs = ["hunter2\\u0000"]',
    '[mcp.servers.a]\ncommand = "./hunter2"',
    'model.key_command = ["echo", "hunter2\\u0000"]',
    '[[tools.gates]]\nname = "g"\ncommand = ["/bin/g", "hunter2\\u0000"]',
  ])('and neither does the message about a wrong one: %j', async (text) => {
    const loaded = await loadSettings({ ...NOTHING, userFile: { path: 'mine.toml', text } })
    const said = loaded.ok ? '' : JSON.stringify(loaded.problems)
    expect(said).toContain('it must be')
    expect(said).not.toContain('hunter2')
  })
})
