import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ollamaRoutes, openAiRoutes, startFakeProvider } from '../../setup/fake-provider.ts'
import { openApp, READY } from '../tui/app-pane.ts'
import type { AppPane } from '../tui/app-pane.ts'

const KEY = 'sk-test-0123456789abcdef'
/** What a list or a question of setup says once it listens. */
const LISTENING = /(?:Enter takes it|Enter goes on) · Esc back/

/** The app with nothing set up, and no server that happens to run on this machine. */
function openFresh(env: Readonly<Record<string, string>> = {}, columns = 60): Promise<AppPane> {
  return openApp({ columns, rows: 34, env: { OLLAMA_HOST: '127.0.0.1:9', ...env } })
}

const configOf = ({ shop }: AppPane): string => join(shop.root, '..', 'config', 'tongs', 'config.toml')
const keysOf = ({ shop }: AppPane): string => join(shop.root, '..', 'config', 'tongs', 'keys.json')

/** Waits until a question listens, types into it and sends it. */
async function reply(app: AppPane, question: RegExp, typed: string): Promise<void> {
  await app.until(new RegExp(`${question.source}[\\s\\S]*${LISTENING.source}`))
  if (typed !== '') await app.type(typed)
  await app.press('Enter')
}

describe('the first minute of the app', () => {
  it('with a server on this machine, two answers lead to the answer to the words that were typed', async () => {
    const server = await startFakeProvider(
      ollamaRoutes({
        'qwen3:8b': { model_info: { 'qwen3.context_length': 40_960 } },
        'llama3:8b': { model_info: { 'llama.context_length': 8_192 } },
      }),
    )
    const app = await openFresh({ OLLAMA_HOST: `127.0.0.1:${server.port}` })
    await app.until(READY)
    await app.send('fix the bug')
    const page = await app.until(LISTENING)
    expect(page).toMatch(/no model yet to answer "fix the bug"/)
    expect(page).toMatch(/> Ollama {2}running at 127\.0\.0\.1:\d+, 2 models/)
    expect(page).toMatch(/Anthropic {2}you paste a key/)
    await app.press('Enter')
    const list = await app.until(/Which model\?[\s\S]*Enter takes it/)
    expect(list).toMatch(/qwen3:8b {2}40k tokens[\s\S]*llama3:8b {2}8k tokens/)
    await reply(app, /Which model/, 'lla')
    await app.until(/> fix the bug[\s\S]*You said: fix the bug/)
    expect(readFileSync(configOf(app), 'utf8')).toContain('name = "compatible/llama3:8b"')

    // It is there from now on, in every session.
    await app.send('/quit')
    await app.until(/left session/)
    await app.restart('--session other')
    await app.until(/model +compatible\/llama3:8b/)
    await app.send('again')
    await app.until(/You said: again/)
  })

  it('with a wrong key it says so, asks again, shows no key, and goes on with the words', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big', context_length: 9_000 }], KEY))
    const app = await openFresh({ COMPATIBLE_API_KEY: 'an-old-wrong-key' })
    await app.until(READY)
    await app.record(join(app.shop.root, '..', 'terminal'))
    await app.send('fix the bug')
    await reply(app, /Where should/, 'another')
    await reply(app, /address of the server/, `${server.url}/v1`)
    const asked = await app.until(/does not accept this key[\s\S]*Enter goes on/)
    expect(asked.replaceAll(/\s+/g, ' ')).toContain('It came from COMPATIBLE_API_KEY')
    await reply(app, /The key for this server/, 'sk-wrong-wrong-wrong')
    await app.until(/answered 401[\s\S]*Paste it here/)
    await reply(app, /The key for this server/, KEY)
    await reply(app, /Which model/, '')
    await app.until(/You said: fix the bug/)
    expect(statSync(keysOf(app)).mode & 0o777).toBe(0o600)
    const shown = readFileSync(join(app.shop.root, '..', 'terminal'), 'utf8')
    expect(shown).toContain('not shown')
    expect(shown).not.toMatch(/sk-test|sk-wrong|old-wrong/)
  })

  it('Esc leaves everything as it is; calls typed by hand go on working', async () => {
    const app = await openFresh()
    await app.until(READY)
    await app.send('fix the bug')
    await app.until(LISTENING)
    await app.press('Escape')
    await app.until(/Nothing was set up; \/setup asks again\.\s+Without\s+a\s+model/)
    expect(existsSync(join(app.shop.root, '..', 'config'))).toBe(false)
    await app.send('glob patterns=["*"]')
    await app.until(/✓ glob/)
    await app.press('Up')
    await app.press('Up')
    await app.until(/─\n fix the bug/)
  })

  it('a server that is not there is said as that, with a way back', async () => {
    const app = await openFresh()
    await app.until(READY)
    await app.send('/setup')
    await reply(app, /Where should/, 'another')
    await reply(app, /address of the server/, 'http://127.0.0.1:9/v1')
    await app.until(
      /That did not work[\s\S]*127\.0\.0\.1:9 cannot be reached[\s\S]*Try again[\s\S]*Enter takes/,
    )
    await app.press('Escape')
    await app.until(/Where should answers come from/)
  })

  it('/model lists what there is on this machine, filters by typing, and switches', async () => {
    const server = await startFakeProvider(
      ollamaRoutes({ 'qwen3:8b': { parameters: 'num_ctx 16384' }, 'llama3:8b': {} }),
    )
    const app = await openFresh({ OLLAMA_HOST: `127.0.0.1:${server.port}` }, 100)
    await app.until(READY)
    await app.send('/model')
    const list = await app.until(/Which model\?[\s\S]*Enter takes it/)
    expect(list).toMatch(/compatible\/qwen3:8b {2}Ollama, 16k tokens[\s\S]*compatible\/llama3:8b {2}Ollama/)
    await reply(app, /Which model/, 'llama')
    await reply(app, /Its context window in tokens/, '32768')
    await app.until(/The model is compatible\/llama3:8b/)
    await app.send('/context')
    await app.until(/% of 32768/)
    await app.send('hello')
    await app.until(/You said: hello/)
    // A choice for one session is not the user's configuration.
    expect(existsSync(configOf(app))).toBe(false)
  })

  it('/setup switches from a model in use, and what is known of the new one stays when the preset changes', async () => {
    const server = await startFakeProvider(
      ollamaRoutes({
        'qwen3:8b': { parameters: 'num_ctx 16384' },
        'llama3:8b': { parameters: 'num_ctx 8192' },
      }),
    )
    const app = await openFresh({ OLLAMA_HOST: `127.0.0.1:${server.port}` }, 100)
    await app.until(READY)
    await app.send('/model')
    await reply(app, /Which model/, 'qwen')
    await app.until(/The model is compatible\/qwen3:8b/)
    await app.send('/setup')
    await app.until(LISTENING)
    await app.press('Escape')
    expect(await app.until(/\/setup asks again/)).not.toContain('Without a model')
    await app.send('/setup')
    await reply(app, /Where should/, 'ollama')
    await reply(app, /Which model/, 'lla')
    await app.until(/compatible\/llama3:8b is set up|model +compatible\/llama3:8b/)
    await app.send('/preset edits')
    await app.until(/ edits · /)
    await app.send('/context')
    await app.until(/% of 8192/)
    await app.send('hello')
    await app.until(/You said: hello/)
    await app.send('/model')
    await app.until(/Now it is compatible\/llama3:8b/)
  })

  it('on a simple terminal it is the same, line by line, and a key is not echoed', async () => {
    const server = await startFakeProvider(openAiRoutes([{ id: 'big', context_length: 9_000 }], KEY))
    const app = await openFresh({ TERM: 'dumb' })
    await app.until(READY)
    await app.send('fix the bug')
    await app.until(/no model yet to answer "fix the bug"[\s\S]*0 is back\.\n>/)
    await app.send('another')
    await app.until(/address of the server\n>/)
    await app.send(`${server.url}/v1`)
    await app.until(/The key for this server\n>/)
    await app.send(KEY)
    await app.until(/Which model\?[\s\S]*1 big[\s\S]*\n>/)
    await app.send('1')
    const shown = await app.until(/You said: fix the bug/)
    expect(shown).not.toContain('sk-test')
  })
})
