import { describe, expect, it } from 'vitest'
import { plainUrl, providerOf, readSpec } from '../../src/model/model-spec.ts'

describe('the name of a model', () => {
  it('has a provider and what the provider calls it, which may have slashes and colons', () => {
    expect(readSpec('anthropic/claude')).toEqual({ provider: 'anthropic', name: 'claude' })
    expect(readSpec('compatible/org/model:8b')).toEqual({ provider: 'compatible', name: 'org/model:8b' })
  })

  it.for(['', 'claude', 'script:turns/a.json', 'nobody/claude', 'openai/', '/gpt', 'openai/two words'])(
    'is not %j',
    (spec) => {
      expect(readSpec(spec)).toBe(null)
      expect(providerOf(spec)).toBe(null)
    },
  )
})

it('a slash at the end of a base URL means nothing', () => {
  expect(plainUrl('https://one.example/v1//')).toBe('https://one.example/v1')
  expect(plainUrl('https://one.example/v1')).toBe('https://one.example/v1')
})
