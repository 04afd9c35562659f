import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { ollamaRoutes, openAiRoutes, startFakeProvider } from '../../setup/fake-provider.ts'
import { makeShop, TONGS } from '../cli/command-line.ts'
import type { Shop } from '../cli/command-line.ts'
import { openPane } from '../cli/pane.ts'

const KEY = 'sk-test-0123456789abcdef'
/** No server that happens to run on this machine counts. */
const NO_SERVER = { OLLAMA_HOST: '127.0.0.1:9' }

function makeHome(): Shop & { readonly config: string; readonly keys: string } {
  const shop = makeShop({ 'a.txt': 'alpha\n' })
  cleanUpWith(shop.remove)
  const folder = join(shop.root, '..', 'config', 'tongs')
  return { ...shop, config: join(folder, 'config.toml'), keys: join(folder, 'keys.json') }
}

/** `tongs setup` on a real terminal of 60 columns. */
async function openSetup(home: Shop, env: Readonly<Record<string, string>> = {}) {
  const pane = await openPane(60, 40, home.root, {
    TONGS_STATE_DIR: home.stateDir,
    HOME: home.env['HOME'],
    XDG_CONFIG_HOME: home.env['XDG_CONFIG_HOME'],
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    ...NO_SERVER,
    ...env,
  })
  await pane.type(`clear; '${TONGS}' setup --root .; echo "code $?"`)
  await pane.press('Enter')
  return {
    ...pane,
    async reply(question: RegExp, typed: string): Promise<void> {
      await pane.until(new RegExp(`${question.source}[\\s\\S]*\\n>`))
      if (typed !== '') await pane.type(typed)
      await pane.press('Enter')
    },
  }
}

describe('tongs setup on a terminal', () => {
  it('leads to a model that tongs run then uses; the key is neither shown nor in the configuration', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big', context_length: 9_000 }], KEY))
    const home = makeHome()
    mkdirSync(dirname(home.config), { recursive: true })
    writeFileSync(home.config, '# mine\n[tools]\nmode = "enabled"\n', { mode: 0o644 })
    const setup = await openSetup(home)
    await setup.record(join(home.root, '..', 'terminal'))
    await setup.reply(/4 Another server/, '4')
    await setup.reply(/address of the server/, `${server.url}/v1`)
    await setup.reply(/wants a key \(it answered 401\)/, 'sk-wrong-wrong')
    await setup.reply(/does not accept this key \(it answered\s401\)/, KEY)
    await setup.reply(/1 big \(9k tokens\)/, '')
    await setup.until(/compatible\/big is set up[\s\S]*code 0/)
    const shown = readFileSync(join(home.root, '..', 'terminal'), 'utf8')
    expect(shown).toContain('is set up')
    expect(shown).not.toMatch(/sk-test|sk-wrong/)
    expect(readFileSync(home.config, 'utf8')).toBe(
      `# mine\n[tools]\nmode = "enabled"\n\n[model]\nname = "compatible/big"\nbase_url = "${server.url}/v1"\n`,
    )
    expect(statSync(home.config).mode & 0o777).toBe(0o644)
    expect(statSync(home.keys).mode & 0o777).toBe(0o600)

    const ran = await home.tongs(['run', 'hello there'])
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('You said: hello there')])
    expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    const log = await home.tongs(['log', '--json'])
    expect(log.out + ran.out + ran.err).not.toContain(KEY)
  })

  it('Ctrl-C, also while a key is typed, leaves nothing behind and the terminal as it was', async () => {
    const home = makeHome()
    const setup = await openSetup(home)
    await setup.reply(/1 Anthropic/, '1')
    await setup.until(/key for Anthropic\n>/)
    await setup.type('sk-half-a-key')
    await setup.press('C-c')
    await setup.until(/nothing was changed[\s\S]*code 130/)
    expect(existsSync(dirname(home.config))).toBe(false)
    await setup.type('echo visible')
    await setup.press('Enter')
    expect(await setup.until(/visible\nvisible/)).not.toContain('sk-half')
  })

  it('finds keys and servers without being told', async () => {
    const server = await startFakeProvider(ollamaRoutes({ 'a:1b': { parameters: 'num_ctx 8192' } }))
    const home = makeHome()
    const setup = await openSetup(home, {
      OLLAMA_HOST: `127.0.0.1:${server.port}`,
      OPENAI_API_KEY: 'sk-not-used',
    })
    const page = await setup.until(/0 is back\.\n>/)
    expect(page).toMatch(/1 OpenAI \(key found: OPENAI_API_KEY\)\n {2}2 Ollama \(running at/)
    await setup.reply(/2 Ollama/, 'olla')
    await setup.reply(/1 a:1b \(8k tokens\)/, '1')
    await setup.until(/code 0/)
    expect(existsSync(home.keys)).toBe(false)
  })
})

describe('tongs setup without a terminal', () => {
  it('says what to give instead, and changes nothing', async () => {
    const home = makeHome()
    const asked = await home.tongs(['setup'], { env: { ...home.env, ...NO_SERVER } })
    expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(/no terminal.*--model.*--key-command/)])
    const keyless = await home.tongs(['setup', '--model', 'anthropic/x'])
    expect([keyless.code, keyless.err]).toEqual([
      2,
      expect.stringMatching(/no key for Anthropic.*ANTHROPIC_API_KEY/),
    ])
    expect(existsSync(dirname(home.config))).toBe(false)
  })

  it('takes the key from stdin, tries it, and stores only one that is accepted', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big' }], KEY))
    const home = makeHome()
    const words = ['setup', '--model', 'compatible/big', '--base-url', `${server.url}/v1`, '--key-stdin']
    const wrong = await home.tongs(words, { stdin: 'sk-wrong\n' })
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/does not accept this key.*Nothing was changed/),
    ])
    expect(existsSync(dirname(home.config))).toBe(false)
    const right = await home.tongs(words, { stdin: `${KEY}\n` })
    expect([right.code, right.err]).toEqual([0, ''])
    expect(right.out + wrong.err).not.toMatch(/sk-test|sk-wrong/)
    expect(JSON.parse(readFileSync(home.keys, 'utf8'))).toEqual({ [`compatible ${server.url}/v1`]: KEY })
  })

  it('a command that prints the key is stored and run by every tongs run, never in the project', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big' }], KEY))
    const home = makeHome()
    writeFileSync(join(home.root, '..', 'secret'), `${KEY}\n`, { mode: 0o600 })
    const base = ['--model', 'compatible/big', '--base-url', `${server.url}/v1`]
    const set = await home.tongs(['setup', ...base, '--key-command', 'cat secret'])
    expect([set.code, set.err]).toEqual([0, ''])
    expect(readFileSync(home.config, 'utf8')).toContain('key_command = ["cat","secret"]')
    const ran = await home.tongs(['run', 'hello'])
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('You said: hello')])
    // A project can neither replace the command nor name another server for it.
    home.put('.tongs.toml', '[model]\nkey_command = "cat a.txt"\nbase_url = "http://127.0.0.1:9/v1"\n')
    const again = await home.tongs(['run', 'hello'])
    expect([again.code, again.err]).toEqual([
      0,
      expect.stringMatching(/base_url.*ignored[\s\S]*key_command.*ignored/),
    ])
    expect(server.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
  })
})

describe('tongs run without a model', () => {
  it('says in two steps what to do, with the keys and servers that were found', async () => {
    const home = makeHome()
    const bare = await home.tongs(['run', 'fix the bug'], { env: { ...home.env, ...NO_SERVER } })
    expect([bare.code, bare.out]).toEqual([2, ''])
    expect(bare.err).toMatch(/run needs a model.*run tongs setup once, then run this again/)
    const server = await startFakeProvider(ollamaRoutes({ 'a:1b': {} }))
    const proxy = await startFakeProvider({})
    const found = await home.tongs(['run', 'fix the bug'], {
      env: {
        ...home.env,
        OLLAMA_HOST: `127.0.0.1:${server.port}`,
        ANTHROPIC_API_KEY: KEY,
        // What is asked of this machine is not told to a proxy.
        HTTP_PROXY: proxy.url,
        NODE_USE_ENV_PROXY: '1',
      },
    })
    expect(proxy.asked).toEqual([])
    expect(found.code).toBe(2)
    expect(found.err).toMatch(
      /give --model anthropic\/[\s\S]*A key for Anthropic was found \(ANTHROPIC_API_KEY\)/,
    )
    expect(found.err).toContain(`--model compatible/a:1b --base-url ${server.url}/v1`)
    expect(found.err).not.toContain(KEY)
  })

  it('goes on at the server that was set up since, as the app does', async () => {
    const [old, moved] = [
      await startFakeProvider(openAiRoutes([])),
      await startFakeProvider(openAiRoutes([])),
    ]
    const home = makeHome()
    mkdirSync(dirname(home.config), { recursive: true })
    for (const { url } of [old, moved]) {
      writeFileSync(home.config, `[model]\nname = "compatible/m"\nbase_url = "${url}/v1"\n`)
      const end = await home.tongs(['run', 'hello', ...(url === old.url ? [] : ['--continue'])])
      expect([end.code, end.out]).toEqual([0, expect.stringContaining('You said: hello')])
    }
    expect([old.asked.length, moved.asked.length]).toEqual([1, 1])
  })

  it.for([
    [
      'anthropic/m',
      /^tongs: anthropic\/m needs a key\. Run tongs setup, or set ANTHROPIC_API_KEY in the environment\.$/m,
    ],
    ['compatible/m', /^tongs: compatible\/m needs a base URL, such as --base-url \S+$/m],
    ['script:gone.json', /^tongs: script:gone\.json: file not found\. Check the path\.$/m],
  ] as const)('%s cannot be opened, and the advice fits', async ([model, says]) => {
    const end = await makeHome().tongs(['run', 'x', '--model', model])
    expect([end.code, end.err]).toEqual([2, expect.stringMatching(says)])
  })

  it.for([
    [
      'a wrong key',
      { status: 401, json: { error: { message: 'no' } } },
      /401.*Check COMPATIBLE_API_KEY.*tongs setup/,
    ],
    ['nonsense', { text: 'hello' }, /broke off, or could not be read|ended early/],
  ] as const)('%s is one sentence with what to do next', async ([, reply, says]) => {
    const server = await startFakeProvider({ '/v1/chat/completions': reply })
    const home = makeHome()
    const words = ['run', 'x', '--model', 'compatible/m', '--base-url', `${server.url}/v1`]
    const quick = ['--set', 'model.retry.max=0']
    const end = await home.tongs([...words, ...quick], { env: { ...home.env, COMPATIBLE_API_KEY: KEY } })
    expect([end.code, end.out + end.err]).toEqual([1, expect.stringMatching(says)])
    expect(end.out + end.err).not.toContain(KEY)
  })

  it('a local server that is gone, and one that is silent, are named', async () => {
    const home = makeHome()
    const silent = await startFakeProvider({ '/v1/chat/completions': 'hang' })
    const run = (url: string) =>
      home.tongs([
        'run',
        'x',
        '--model',
        'compatible/m',
        '--base-url',
        url,
        '--set',
        'model.retry.max=0',
        '--set',
        'model.idle_seconds=0.5',
      ])
    const gone = await run('http://127.0.0.1:9/v1')
    expect([gone.code, gone.out + gone.err]).toEqual([
      1,
      expect.stringMatching(/Start the server, or choose another model/),
    ])
    const quiet = await run(`${silent.url}/v1`)
    expect([quiet.code, quiet.out + quiet.err]).toEqual([
      1,
      expect.stringMatching(/sent nothing for 0\.5 s\. Try again/),
    ])
  })
})

describe('stored keys', () => {
  it('doctor names what was found and never a value; a file that others could read is closed', async () => {
    const home = makeHome()
    mkdirSync(dirname(home.keys), { recursive: true })
    writeFileSync(home.keys, JSON.stringify({ anthropic: KEY }), { mode: 0o644 })
    const env = { ...home.env, OPENAI_API_KEY: 'sk-of-the-environment' }
    const first = await home.tongs(['doctor'], { env })
    expect(first.out).toMatch(/key file +Others could read/)
    expect(statSync(home.keys).mode & 0o777).toBe(0o600)
    const { out } = await home.tongs(['doctor', '--json'], { env })
    expect(JSON.parse(out)).toMatchObject({
      model: 'none configured',
      model_keys_found: ['OPENAI_API_KEY', `anthropic in ${home.keys}`],
    })
    expect(first.out + out).not.toMatch(/sk-test|sk-of/)
  })

  it('no tool and no command can read the key file, even where the root holds it', async () => {
    const home = makeHome()
    home.put('config/tongs/keys.json', JSON.stringify({ anthropic: KEY }))
    const env = { ...home.env, XDG_CONFIG_HOME: join(home.root, 'config') }
    const call = (name: string, args: object) =>
      home.tongs(['call', name, JSON.stringify(args), '--json', '--yes'], { env })
    const read = await call('read_file', { path: 'config/tongs/keys.json' })
    expect([read.code, read.rows[0]?.ok]).toEqual([3, false])
    const found = await call('search', { query: 'sk-test' })
    expect(found.rows[0]).toMatchObject({ ok: true, result: { matches: [] } })
    const shell = await call('run_shell', { cmd: ['cat', 'a.txt', 'config/tongs/keys.json'] })
    expect(shell.out).toContain('alpha')
    expect(read.out + found.out + shell.out).not.toContain(KEY)
  })

  it('a stored key is hidden wherever a result shows it', async () => {
    const home = makeHome()
    mkdirSync(dirname(home.keys), { recursive: true })
    // It has no look by which it could be told from ordinary words.
    const plain = 'correct horse battery'.replaceAll(' ', '')
    writeFileSync(home.keys, JSON.stringify({ anthropic: plain }), { mode: 0o600 })
    home.put('b.txt', `it says ${plain} here\n`)
    const script = {
      turns: [{ calls: [{ id: 'c1', name: 'read_file', args: { path: 'b.txt' } }] }, { text: 'Done.' }],
    }
    writeFileSync(join(home.root, '..', 'script.json'), JSON.stringify(script))
    const ran = await home.tongs([
      'run',
      'look',
      '--json',
      '--no-input',
      '--set',
      'secrets.to_model=deny',
      '--model',
      `script:${join(home.root, '..', 'script.json')}`,
    ])
    expect(ran.out).toContain('it says')
    expect(ran.out).not.toContain(plain)
  })
})
