import { describe, expect, it } from 'vitest'
import { keySourcesOf, resolveModel } from '../../src/agent/model-access.ts'
import type { ModelWish } from '../../src/agent/model-access.ts'

const [HERE, THERE, ELSEWHERE] = ['http://here/v1', 'http://there/v1', 'http://elsewhere/v1']

function settings(name: string, baseUrl = ''): ModelWish['settings'] {
  return { 'model.name': name, 'model.base_url': baseUrl, 'model.key_command': [] }
}

const NOTHING: ModelWish = {
  given: { model: null, baseUrl: null },
  latest: null,
  settings: settings(''),
  env: {},
}

describe('the model of a session', () => {
  it('is none if nothing names one, not even an empty name', () => {
    expect(resolveModel(NOTHING)).toBe(null)
    expect(resolveModel({ ...NOTHING, given: { model: '', baseUrl: null }, env: { TONGS_MODEL: '' } })).toBe(
      null,
    )
  })

  it('is the one that was chosen, else given, else used last, else of the environment, else configured', () => {
    const wish: ModelWish = {
      given: { model: 'openai/given', baseUrl: null },
      chosen: { model: 'openai/chosen', baseUrl: null },
      latest: { model: 'openai/latest', baseUrl: null },
      settings: settings('openai/configured'),
      env: { TONGS_MODEL: 'openai/usual' },
    }
    const specs = [
      wish,
      { ...wish, chosen: null },
      { ...wish, chosen: null, given: NOTHING.given },
      { ...wish, chosen: null, given: NOTHING.given, latest: null },
      { ...wish, chosen: null, given: NOTHING.given, latest: null, env: {} },
    ].map((one) => resolveModel(one)?.spec)
    expect(specs).toEqual([
      'openai/chosen',
      'openai/given',
      'openai/latest',
      'openai/usual',
      'openai/configured',
    ])
  })
})

describe('the server of a model', () => {
  const m = 'compatible/m'
  const used = { model: m, baseUrl: THERE }

  it.for<readonly [string, Partial<ModelWish>, string | null, boolean]>([
    ['an address beside the choice', { chosen: { model: m, baseUrl: HERE }, latest: used }, HERE, false],
    ['an address on the command line', { given: { model: null, baseUrl: HERE }, latest: used }, HERE, false],
    ['what was set up, for that model', { latest: used, settings: settings(m, HERE) }, HERE, false],
    ['where the session had it', { latest: used }, THERE, true],
    [
      'where the session had it, although another model of that provider was set up',
      { latest: used, settings: settings('compatible/other', HERE) },
      THERE,
      true,
    ],
    [
      'what was set up for the provider',
      { given: { model: m, baseUrl: null }, settings: settings('compatible/other', HERE) },
      HERE,
      false,
    ],
    [
      "the provider's own",
      { given: { model: 'openai/m', baseUrl: null }, settings: settings(m, HERE) },
      null,
      false,
    ],
    [
      "the provider's own, if the address on the command line was for another provider",
      { given: { model: m, baseUrl: ELSEWHERE }, chosen: { model: 'openai/m', baseUrl: null } },
      null,
      false,
    ],
    [
      'that of no other model',
      { given: { model: 'compatible/n', baseUrl: null }, latest: used },
      null,
      false,
    ],
  ])('is %s', ([, wish, baseUrl, isServerOfSession]) => {
    expect(resolveModel({ ...NOTHING, ...wish })).toMatchObject({ baseUrl, isServerOfSession })
  })
})

it('a key command beside a model without a provider is for no provider', () => {
  const words = { 'model.key_command': ['print-key'] }
  expect(
    keySourcesOf(
      { ...settings('script:a.json'), ...words, 'tools.sandbox.allowed_roots': [] },
      { env: {}, root: '/' },
    ).command,
  ).toMatchObject({ provider: '' })
  expect(
    keySourcesOf(
      { ...settings('openai/m'), ...words, 'tools.sandbox.allowed_roots': [] },
      { env: {}, root: '/' },
    ).command,
  ).toMatchObject({
    provider: 'openai',
  })
  expect(
    keySourcesOf({ ...settings(''), ...words, 'tools.sandbox.allowed_roots': [] }, { env: {}, root: '/' })
      .command,
  ).toMatchObject({ provider: null })
})
