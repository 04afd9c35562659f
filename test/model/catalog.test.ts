import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { contextWindowOf, showTokens } from '../../src/model/catalog/context-windows.ts'
import { listModels, windowByName } from '../../src/model/catalog/list-models.ts'
import { askContextWindow, findLocalServers } from '../../src/model/catalog/local-servers.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { ollamaRoutes, openAiRoutes, startFakeProvider } from '../setup/fake-provider.ts'
import type { Reply } from '../setup/fake-provider.ts'

const NEVER = new AbortController().signal

/** A port that refuses connections. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const closed = await closedPort()
const NOWHERE = { Ollama: closed, 'LM Studio': closed, 'llama.cpp': closed, vLLM: closed }

describe('servers on this machine', () => {
  it('Ollama, with the context each model was made with, else the most it can do', async () => {
    const { port, asked } = await startFakeProvider(
      ollamaRoutes({
        'qwen3:8b': { parameters: 'stop "x"\nnum_ctx 16384', model_info: { 'qwen3.context_length': 40_960 } },
        'llama3:8b': { model_info: { 'llama.context_length': 8_192 } },
        'odd:1b': { model_info: 'nothing' },
        'nomic-embed-text': {},
      }),
    )
    const [server, ...others] = await findLocalServers({
      env: {},
      timeoutMs: PATIENCE_MS,
      ports: { ...NOWHERE, Ollama: port },
    })
    expect(others).toEqual([])
    expect(server).toEqual({
      name: 'Ollama',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      models: [
        { spec: 'compatible/qwen3:8b', contextTokens: 16_384 },
        { spec: 'compatible/llama3:8b', contextTokens: 8_192 },
        { spec: 'compatible/odd:1b', contextTokens: null },
      ],
    })
    expect(asked.map(({ path }) => path)).not.toContain('/v1/chat/completions')
  })

  it.for([
    [
      'LM Studio',
      {
        '/api/v0/models': {
          json: {
            data: [
              { id: 'a', type: 'llm', loaded_context_length: 4_096, max_context_length: 131_072 },
              { id: 'b', type: 'vlm', max_context_length: 32_768 },
              { id: 'c', type: 'embeddings' },
            ],
          },
        },
      },
      [
        ['compatible/a', 4_096],
        ['compatible/b', 32_768],
      ],
    ],
    ['LM Studio', openAiRoutes([{ id: 'old' }]), [['compatible/old', null]]],
    [
      'llama.cpp',
      {
        ...openAiRoutes([{ id: 'm.gguf', meta: { n_ctx_train: 131_072 } }]),
        '/props': { json: { default_generation_settings: { n_ctx: 12_288 } } },
      },
      [['compatible/m.gguf', 12_288]],
    ],
    ['vLLM', openAiRoutes([{ id: 'org/m', max_model_len: 65_536 }]), [['compatible/org/m', 65_536]]],
  ] as const)('%s', async ([name, routes, models]) => {
    const { port } = await startFakeProvider(routes)
    const found = await findLocalServers({
      env: {},
      timeoutMs: PATIENCE_MS,
      ports: { ...NOWHERE, [name]: port },
    })
    expect(
      found.map((one) => [one.name, one.models.map(({ spec, contextTokens }) => [spec, contextTokens])]),
    ).toEqual([[name, models]])
  })

  it.for([
    ['a page of something else', { text: '<html>hello</html>' }],
    ['JSON of something else', { json: { hello: 'world' } }],
    ['a refusal', { status: 401, json: {} }],
    ['silence', 'hang'],
  ] as const)('%s on such a port is not a server, and holds nothing up', async ([, reply]) => {
    const routes = Object.fromEntries(
      ['/api/tags', '/v1/models', '/api/v0/models'].map((path): [string, Reply] => [path, reply]),
    )
    const { port } = await startFakeProvider(routes)
    const ports = { Ollama: port, 'LM Studio': port, 'llama.cpp': port, vLLM: port }
    expect(await findLocalServers({ env: {}, ports, timeoutMs: 300 })).toEqual([])
  })

  it("Ollama's own variable moves its port, but never to another machine", async () => {
    const { port } = await startFakeProvider(ollamaRoutes({ 'a:1b': {} }))
    const ports = { 'LM Studio': closed, 'llama.cpp': closed, vLLM: closed }
    const namesAt = async (host: string): Promise<readonly string[]> =>
      (await findLocalServers({ env: { OLLAMA_HOST: host }, ports, timeoutMs: PATIENCE_MS })).flatMap(
        ({ baseUrl }) => (baseUrl.endsWith(`:${port}/v1`) ? [baseUrl] : []),
      )
    expect(await namesAt(`127.0.0.1:${port}`)).toHaveLength(1)
    expect(await namesAt(`http://localhost:${port}`)).toHaveLength(1)
    expect(await namesAt(`192.0.2.1:${port}`)).toEqual([])
    expect(await namesAt('not a host')).toEqual([])
  })

  it('a server that is none of these is not asked for its context windows', async () => {
    const server = await startFakeProvider(ollamaRoutes({ 'a:1b': {} }))
    expect(await askContextWindow(`${server.url}/v1`, 'a:1b', { env: {} })).toBe(null)
    expect(server.asked).toEqual([])
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` }
    await askContextWindow(`${server.url}/v1`, 'a:1b', { env, timeoutMs: PATIENCE_MS })
    expect(server.asked.map(({ path }) => path)).toContain('/api/show')
  })
})

describe("a provider's own list", () => {
  it.for([
    [
      'anthropic',
      'x-api-key',
      { data: [{ id: 'claude-sonnet-9' }] },
      [['anthropic/claude-sonnet-9', 200_000]],
    ],
    [
      'openai',
      'authorization',
      { data: [{ id: 'gpt-5' }, { id: 'text-embedding-3' }, { id: 'new' }, { id: 7 }] },
      [
        ['openai/gpt-5', 272_000],
        ['openai/new', null],
      ],
    ],
    [
      'google',
      'x-goog-api-key',
      {
        models: [
          {
            name: 'models/gemini-9',
            inputTokenLimit: 5_000,
            supportedGenerationMethods: ['generateContent'],
          },
          { name: 'models/other', supportedGenerationMethods: ['embedContent'] },
        ],
      },
      [['google/gemini-9', 5_000]],
    ],
    [
      'compatible',
      'authorization',
      { data: [{ id: 'a/b', context_length: 9_000 }] },
      [['compatible/a/b', 9_000]],
    ],
  ] as const)('%s, asked once with the key in a header', async ([provider, header, json, models]) => {
    const server = await startFakeProvider({ '/v1/models': { json } })
    const list = await listModels({ provider, baseUrl: `${server.url}/v1`, key: 'the-key', signal: NEVER })
    expect(list).toEqual({
      is: 'listed',
      models: models.map(([spec, contextTokens]) => ({ spec, contextTokens })),
    })
    expect(server.asked).toHaveLength(1)
    expect(server.asked[0]?.path).not.toContain('the-key')
    expect(server.asked[0]?.headers[header]).toContain('the-key')
  })

  it.for([
    [{ status: 401, json: {} }, 'auth', /does not accept this key/],
    [{ status: 400, json: { error: { message: 'API key not valid' } } }, 'auth', /does not accept this key/],
    [{ status: 404, json: {} }, 'no_list', /has no list/],
    [{ status: 503, json: {} }, 'busy', /503.*Try again later/],
    [{ text: '<html>' }, 'unreadable', /not with a list/],
    [{ json: [1] }, 'unreadable', /not with a list/],
    ['hang', 'silent', /did not answer within 0.3 s/],
  ] as const)('%j is said as what it is', async ([reply, why, says]) => {
    const server = await startFakeProvider({ '/v1/models': reply })
    const list = await listModels({
      provider: 'google',
      baseUrl: `${server.url}/v1`,
      key: 'the-key',
      signal: NEVER,
      timeoutMs: reply === 'hang' ? 300 : PATIENCE_MS,
    })
    expect(list).toMatchObject({ is: 'failed', why, message: expect.stringMatching(says) })
    expect(JSON.stringify(list)).not.toContain('the-key')
  })

  it('a server that is not there is said as that', async () => {
    const baseUrl = `http://127.0.0.1:${closed}/v1`
    const list = await listModels({ provider: 'openai', baseUrl, key: 'k', signal: NEVER })
    expect(list).toMatchObject({ why: 'network', message: expect.stringMatching(/cannot be reached.*Check/) })
  })
})

it.for([
  ['anthropic/claude-sonnet-4-5', 200_000, '200k'],
  ['google/gemini-2.5-pro', 1_048_576, '1M'],
  ['openai/gpt-4', 8_192, '8k'],
  ['openai/gpt-4.5-preview', 128_000, '128k'],
  ['openai/gpt-5.1-codex', 272_000, '272k'],
  ['compatible/anthropic/claude-sonnet-4.5', 200_000, '200k'],
  ['compatible/qwen3-coder:30b', 262_144, '262k'],
  ['compatible/meta-llama/Llama-3.3-70B-Instruct', 131_072, '131k'],
  ['compatible/llama3:8b', 8_192, '8k'],
  ['compatible/deepseek-chat', 131_072, '131k'],
  ['compatible/mixtral:8x7b', 32_768, '32k'],
] as const)('the context window of %s is known', ([spec, tokens, shown]) => {
  expect([contextWindowOf(spec), showTokens(tokens)]).toEqual([tokens, shown])
})

it.for([
  ['compatible/qwen3:8b', 'http://127.0.0.1:9/v1', null],
  ['compatible/qwen3:8b', 'http://localhost:9/v1', null],
  ['compatible/qwen3:8b', 'https://models.example/v1', 40_960],
  ['compatible/never-heard-of', 'https://models.example/v1', null],
  ['openai/gpt-4', 'http://127.0.0.1:9/v1', 8_192],
] as const)('what the name of %s at %s tells is %j', ([spec, baseUrl, tokens]) => {
  expect(windowByName(spec, baseUrl)).toBe(tokens)
})
