import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { loadConfiguration } from '../../src/runtime/configure/load-configuration.ts'
import { runSetup } from '../../src/setup/run-setup.ts'
import type { SetupEnd, SetupWish } from '../../src/setup/run-setup.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { makeScratch } from '../harness/scratch.ts'
import { ollamaRoutes, openAiRoutes, startFakeProvider } from './fake-provider.ts'
import { playDialogs } from './scripted-dialogs.ts'
import type { ScriptedAnswer } from './scripted-dialogs.ts'

const KEY = 'sk-test-0123456789abcdef'

/** A person without anything, in a home of their own. */
function makePerson(variables: Readonly<Record<string, string>> = {}) {
  const scratch = makeScratch()
  const root = scratch.folder('root')
  const env = {
    HOME: scratch.path,
    XDG_CONFIG_HOME: scratch.at('config'),
    PATH: process.env['PATH'] ?? '',
    // No server that happens to run on this machine counts.
    OLLAMA_HOST: '127.0.0.1:9',
    ...variables,
  }
  const config = scratch.at('config', 'tongs', 'config.toml')
  const keys = scratch.at('config', 'tongs', 'keys.json')

  async function setUp(
    answers: readonly ScriptedAnswer[],
    wish: Partial<SetupWish> = {},
    signal = new AbortController().signal,
  ) {
    const dialogs = playDialogs(answers, signal)
    const { settings } = await loadConfiguration({
      root,
      stateDir: scratch.at('state'),
      env,
      isPersonal: true,
    })
    const end = await runSetup(dialogs, { env, settings, root }, { introduction: [], ...wish })
    expect(dialogs.unused()).toEqual([])
    return { end, seen: dialogs.seen.join('\n') }
  }
  return { scratch, root, env, config, keys, setUp, read: () => readFileSync(config, 'utf8') }
}

function chosenOf(end: SetupEnd) {
  return end.is === 'done' ? [end.chosen.spec, end.chosen.baseUrl] : end.is
}

describe('setup', () => {
  it('a server on this machine is two answers away, and nothing but its model is written', async () => {
    const server = await startFakeProvider(
      ollamaRoutes({ 'a:1b': { model_info: { 'a.context_length': 4_096 } }, 'b:1b': {} }),
    )
    const ada = makePerson({ OLLAMA_HOST: `127.0.0.1:${server.port}` })
    const { end, seen } = await ada.setUp(['Ollama', 'a:1b'])
    expect(chosenOf(end)).toEqual(['compatible/a:1b', `${server.url}/v1`])
    expect(seen).toMatch(/- Ollama running at 127\.0\.0\.1:\d+, 2 models/)
    expect(seen).toContain('- a:1b 4k tokens')
    expect(ada.read()).toBe(`[model]\nname = "compatible/a:1b"\nbase_url = "${server.url}/v1"\n`)
    expect(existsSync(ada.keys)).toBe(false)
  })

  it('a size that nothing tells is no third question, and is said', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big' }]))
    const ada = makePerson()
    const { end } = await ada.setUp(['Another', `${server.url}/v1`, 'big'])
    expect(end.is === 'done' && end.says.at(-1)).toMatch(/model\.context_tokens/)
  })

  it('a key that is rejected is said as such and asked for again; only the accepted one is stored', async () => {
    const server = await startFakeProvider({
      '/v1/models': ({ headers }) =>
        headers['x-api-key'] === KEY
          ? { json: { data: [{ id: 'claude-haiku-9' }, { id: 'claude-sonnet-9' }] } }
          : { status: 401, json: {} },
    })
    const ada = makePerson({ ANTHROPIC_API_KEY: 'old-key' })
    const way = { is: 'provider', provider: 'anthropic', place: null } as const
    const { end, seen } = await ada.setUp(['wrong-key', KEY, 'claude-sonnet-9'], {
      way,
      baseUrl: `${server.url}/v1`,
    })
    expect(chosenOf(end)).toEqual(['anthropic/claude-sonnet-9', `${server.url}/v1`])
    expect(seen).toMatch(/does not accept this key \(it answered 401\)\. It came from ANTHROPIC_API_KEY/)
    // A model that suits an agent comes first.
    expect(seen).toMatch(/- claude-sonnet-9 .*\n- claude-haiku-9/)
    expect(JSON.parse(readFileSync(ada.keys, 'utf8'))).toEqual({ [`anthropic ${server.url}/v1`]: KEY })
    expect(statSync(ada.keys).mode & 0o777).toBe(0o600)
    expect(seen + ada.read()).not.toMatch(/sk-test|wrong-key|old-key/)
    expect(server.asked).toHaveLength(3)
  })

  it('a list that anyone may see proves no key, so the model is tried; a refusal asks for another key', async () => {
    const guarded = openAiRoutes([], KEY)
    const server = await startFakeProvider({
      ...guarded,
      '/v1/models': { json: { data: [{ id: 'big', context_length: 9_000 }] } },
    })
    const ada = makePerson({ COMPATIBLE_API_KEY: 'old-key' })
    const { end, seen } = await ada.setUp(['Another', `${server.url}/v1/`, 'big', KEY, 'big'])
    expect(chosenOf(end)).toEqual(['compatible/big', `${server.url}/v1`])
    expect(seen).toMatch(
      /The key for this server\ncompatible\/big was refused: its server does not accept this key/,
    )
  })

  it('a server without a list takes a typed name, which is tried, and its context window is asked for', async () => {
    const server = await startFakeProvider({ ...openAiRoutes([]), '/v1/models': { status: 404, json: {} } })
    const ada = makePerson()
    const answers = ['Another', 'no address', `${server.url}/v1`, 'Type the name', 'mine', 'many', '32_768']
    const { end, seen } = await ada.setUp(answers)
    expect(chosenOf(end)).toEqual(['compatible/mine', `${server.url}/v1`])
    expect(ada.read()).toContain('context_tokens = 32768')
    expect(seen).toMatch(
      /not a plain http[\s\S]*has no list[\s\S]*Trying compatible\/mine[\s\S]*not a number/,
    )
    expect(server.asked.filter(({ path }) => path.endsWith('completions'))).toHaveLength(1)
  })

  it('leaving at the last question, for the context window, leaves nothing behind either', async () => {
    const { '/v1/chat/completions': chat } = openAiRoutes([])
    const server = await startFakeProvider({ '/v1/chat/completions': chat ?? 'hang' })
    const ada = makePerson()
    const { end, seen } = await ada.setUp([
      'Another',
      `${server.url}/v1`,
      'Type the name',
      'mine',
      // Back to the name, to the address, and out.
      null,
      null,
      null,
    ])
    expect([end.is, seen]).toEqual(['left', expect.stringContaining('context window in tokens')])
    expect(existsSync(ada.config)).toBe(false)
  })

  it('a server that is not there, or that answers nonsense, leaves a way on', async () => {
    const server = await startFakeProvider({ '/v1/models': { text: '<html>' } })
    const ada = makePerson()
    const { end, seen } = await ada.setUp([
      'Another',
      'http://127.0.0.1:9/v1',
      'Try again',
      null,
      'Another',
      `${server.url}/v1`,
      'Type the name',
      'mine',
      'Choose a model again',
      null,
      null,
    ])
    expect(end.is).toBe('left')
    expect(seen).toMatch(/127\.0\.0\.1:9 cannot be reached[\s\S]*not with a list of models/)
    expect(seen).toMatch(/compatible\/mine answered 404/)
  })

  it('a command that prints the key is kept instead of the key', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big', context_length: 9_000 }], KEY))
    const ada = makePerson()
    ada.scratch.file('secret', KEY)
    const { end, seen } = await ada.setUp([
      'Another',
      `${server.url}/v1`,
      '',
      'cat secret | head',
      'cat nothing',
      'cat secret',
      'big',
    ])
    expect(chosenOf(end)).toEqual(['compatible/big', `${server.url}/v1`])
    expect(seen).toMatch(/no shell runs it[\s\S]*"cat" ended with 1/)
    expect(ada.read()).toContain('key_command = ["cat","secret"]')
    expect(existsSync(ada.keys)).toBe(false)
    expect(seen).not.toContain(KEY)
  })

  it('a configuration that cannot be written costs no key, and what to write by hand is said', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big', context_length: 9_000 }], KEY))
    const ada = makePerson()
    ada.scratch.file('secret', KEY)
    const entry = `compatible ${server.url}/v1`
    ada.scratch.file('config/tongs/keys.json', JSON.stringify({ [entry]: 'an-old-key' }))
    // A draft beside a file with such a path has a path that is too long, even for root.
    let deep = ada.scratch.at('deep')
    while (deep.length < 3_900) deep = join(deep, 'd'.repeat(100))
    deep = join(deep, 'd'.repeat(4_060 - deep.length))
    mkdirSync(deep, { recursive: true })
    writeFileSync(join(deep, 'c.toml'), '# mine\n')
    symlinkSync(join(deep, 'c.toml'), ada.config)
    const set = ada.setUp(['Another', `${server.url}/v1`, '', 'cat secret', 'big'])
    await expect(set).rejects.toThrow(
      /config\.toml: cannot be written \(ENAMETOOLONG\)\. Check its folder.*by hand:\n\[model\]\nname = "compatible\/big"\n/,
    )
    expect(readFileSync(ada.keys, 'utf8')).toContain('an-old-key')
    expect(ada.read()).toBe('# mine\n')
  })

  it('a key file that others could read is closed, and that is said', async () => {
    const server = await startFakeProvider(ollamaRoutes({ 'a:1b': {} }))
    const ada = makePerson({ OLLAMA_HOST: `127.0.0.1:${server.port}` })
    ada.scratch.file('config/tongs/keys.json', JSON.stringify({ openai: KEY }))
    chmodSync(ada.keys, 0o644)
    const { seen } = await ada.setUp(['Ollama', 'a:1b'])
    expect(seen).toContain(`Others could read the key file ${ada.keys} until now.`)
    expect(statSync(ada.keys).mode & 0o777).toBe(0o600)
  })

  it('a command that prints the key is stopped with the wait for it', async () => {
    const ada = makePerson()
    ada.scratch.file(
      'config/tongs/config.toml',
      '[model]\nname = "anthropic/x"\nkey_command = ["sh", "-c", "echo $$ > pid; exec sleep 600"]\n',
    )
    const pid = ada.scratch.at('pid')
    const stop = new AbortController()
    const playing = ada.setUp(['Anthropic', null, null], {}, stop.signal)
    await vi.waitFor(() => expect(readFileSync(pid, 'utf8')).toMatch(/\d\n/), { timeout: PATIENCE_MS })
    stop.abort()
    const { end, seen } = await playing
    expect([end.is, seen]).toEqual(['left', expect.stringContaining('model.key_command was stopped')])
  })

  it('can be repeated: the rest of the file stays, and what belonged to the model before goes', async () => {
    const server = await startFakeProvider(ollamaRoutes({ 'a:1b': { parameters: 'num_ctx 4096' } }))
    const ada = makePerson({ OLLAMA_HOST: `127.0.0.1:${server.port}` })
    const before = `# mine\n[tools]\nmode = "enabled" # yes\n\n[model]\nname = "anthropic/x" # old\nkey_command = "cat secret"\ncontext_tokens = 9\nidle_seconds = 5\n`
    ada.scratch.file('config/tongs/config.toml', before)
    const { end } = await ada.setUp(['Ollama', 'a:1b'])
    const after = `# mine\n[tools]\nmode = "enabled" # yes\n\n[model]\nbase_url = "${server.url}/v1"\nname = "compatible/a:1b" # old\nidle_seconds = 5\n`
    expect(ada.read()).toBe(after)
    expect(end.is === 'done' && end.says.join(' ')).toMatch(/model\.key_command was removed/)
    await ada.setUp(['Ollama', 'a:1b'])
    expect(ada.read()).toBe(after)
  })

  it.for([
    ['at the first question', [null]],
    ['at the key', ['Anthropic', null, null]],
    ['after a command that fails', ['Anthropic', '', 'false', null, null, null]],
  ] as const)('leaving %s leaves nothing behind', async ([, answers]) => {
    const ada = makePerson()
    expect((await ada.setUp(answers)).end.is).toBe('left')
    expect(readdirSync(ada.scratch.path)).toEqual(['root'])
  })

  it('no key is stored inside the workspace; a command is asked for instead', async () => {
    const ada = makePerson()
    const inside = makePerson({ XDG_CONFIG_HOME: `${ada.root}/config` })
    const dialogs = playDialogs(['Anthropic', null, null])
    const { settings } = await loadConfiguration({
      root: ada.root,
      stateDir: ada.scratch.at('state'),
      env: inside.env,
      isPersonal: true,
    })
    await runSetup(dialogs, { env: inside.env, settings, root: ada.root }, { introduction: [] })
    expect(dialogs.seen.join('\n')).toMatch(
      /not stored in .*keys\.json, because that is inside the workspace/,
    )
    expect(dialogs.seen).not.toContain('The key for Anthropic')
  })
})
