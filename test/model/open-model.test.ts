import { describe, expect, it } from 'vitest'
import { findProvidersWithKeys, openModel } from '../../src/model/open-model.ts'
import { makeScratch } from '../harness/scratch.ts'

const refusalOf = async (
  spec: string,
  env: Record<string, string> = {},
  baseUrl?: string,
): Promise<string> => {
  const opened = openModel(spec, { env, ...(baseUrl === undefined ? {} : { baseUrl }) })
  const error: unknown = await opened.then(
    () => 'it opened',
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ name: 'ModelError' })
  return String(error)
}

describe('opening a model', () => {
  it.each([
    '',
    'gpt-5',
    '/x',
    'anthropic/',
    'anthropic',
    'toString/x',
    'Anthropic/x',
    'openai/a b',
    'script',
  ])('names the choices for %j', async (spec) => {
    expect(await refusalOf(spec)).toMatch(
      /anthropic\/NAME.*openai\/NAME.*google\/NAME.*compatible.*script:FILE/,
    )
  })

  it.each([
    ['anthropic/x', /ANTHROPIC_API_KEY/],
    ['openai/x', /OPENAI_API_KEY/],
    ['google/x', /GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY/],
  ])('names the missing key of %s, and takes an empty one for none', async (spec, names) => {
    expect(await refusalOf(spec)).toMatch(names)
    expect(await refusalOf(spec, { ANTHROPIC_API_KEY: ' ', OPENAI_API_KEY: '', GEMINI_API_KEY: '' })).toMatch(
      names,
    )
  })

  it('does not show a key that is none', async () => {
    const words = await refusalOf('openai/x', { OPENAI_API_KEY: 'half\nother-half' })
    expect(words).toContain('OPENAI_API_KEY')
    expect(words).not.toContain('half')
  })

  it('wants a base URL for a compatible server, and a plain one', async () => {
    expect(await refusalOf('compatible/x')).toContain('--base-url')
    for (const url of ['localhost:1', 'file:///etc', 'nonsense', 'http://ada:secret@example.org/v1']) {
      const words = await refusalOf('compatible/x', {}, url)
      expect(words).toContain('base URL')
      expect(words).not.toContain('secret')
    }
  })

  it('says which script is missing or no file', async () => {
    const scratch = makeScratch()
    expect(await refusalOf(`script:${scratch.at('gone.json')}`)).toContain('gone.json')
    expect(await refusalOf(`script:${scratch.path}`)).toContain('cannot read the file')
    expect(await refusalOf('script:')).toContain('script:FILE')
  })

  it('knows the size of some models, and says so of the others', async () => {
    const env = { ANTHROPIC_API_KEY: 'k'.repeat(20), OPENAI_API_KEY: 'k'.repeat(20) }
    expect(await openModel('anthropic/claude-sonnet-4-5', { env })).toMatchObject({
      id: 'anthropic/claude-sonnet-4-5',
      hasTools: true,
      contextTokens: 200_000,
    })
    expect((await openModel('openai/something-new', { env })).contextTokens).toBe(null)
  })

  it('finds the providers that have keys', () => {
    expect(findProvidersWithKeys({ env: {}, roots: [], file: null, command: null })).toEqual([])
    expect(
      findProvidersWithKeys({
        env: { GEMINI_API_KEY: 'x', ANTHROPIC_API_KEY: 'y', OPENAI_API_KEY: '' },
        roots: [],
        file: null,
        command: null,
      }),
    ).toEqual(['anthropic', 'google'])
  })
})
