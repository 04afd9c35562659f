import { describe, expect, it } from 'vitest'
import { addressOf, EDITOR, judgeWith, wordFor } from '../sample-facts.ts'

const fetching = (url: string) => ({
  tool: {
    ...EDITOR,
    name: 'web_fetch',
    effect: 'external' as const,
    capabilities: ['network.connect'] as const,
    webAddress: addressOf(url),
  },
})

describe('the gate for origins', () => {
  it('asks about an origin of the public internet, because the call acts outside', async () => {
    expect(await wordFor(fetching('https://example.com/'))).toBe('ask')
  })

  it.for([
    ['http://127.0.0.1:3000/', {}],
    ['http://localhost/', {}],
    ['http://169.254.169.254/latest/meta-data/', {}],
    ['http://[::1]/', {}],
    ['https://example.com/', { 'tools.web_fetch.denied_origins': ['example.com'] }],
    ['https://a.example.com/', { 'tools.web_fetch.denied_origins': ['*.example.com'] }],
    ['https://example.com/', { 'tools.web_fetch.allowed_origins': ['https://other.com'] }],
    [
      'https://example.com/',
      {
        'tools.web_fetch.denied_origins': ['example.com'],
        'tools.web_fetch.approved_origins': ['https://example.com'],
      },
    ],
    ['http://127.0.0.1:3000/', { 'tools.web_fetch.private_hosts': ['127.0.0.1:3001'] }],
    ['http://127.0.0.1:3000/', { 'tools.web_fetch.approved_origins': ['http://127.0.0.1:3000'] }],
  ] as const)('refuses %s with %j, without a question', async ([url, settings]) => {
    for (const mode of ['prompt', 'auto'] as const) {
      const { error } = await judgeWith(fetching(url), { ...settings, 'tools.approval.mode': mode })
      expect(error?.code).toBe('not_allowed')
      expect(error?.message).toContain('Nothing is fetched from')
    }
  })

  it('lets the user name a private host, and asks about it all the same', async () => {
    const settings = { 'tools.web_fetch.private_hosts': ['127.0.0.1:3000'] }
    expect(await wordFor(fetching('http://127.0.0.1:3000/'), settings)).toBe('ask')
  })

  it('does not ask about approved origins', async () => {
    const settings = { 'tools.web_fetch.approved_origins': ['https://example.com', 'https://*.example.org'] }
    expect(await wordFor(fetching('https://example.com/x'), settings)).toBe('run')
    expect(await wordFor(fetching('https://docs.example.org/'), settings)).toBe('run')
    expect(await wordFor(fetching('http://example.com/x'), settings)).toBe('ask')
    expect(await wordFor(fetching('https://example.com:8443/x'), settings)).toBe('ask')
  })

  it('is refused where calls may only read', async () => {
    const settings = {
      'tools.approval.allowed_effects': ['read'],
      'tools.web_fetch.approved_origins': ['https://example.com'],
    }
    expect((await judgeWith(fetching('https://example.com/'), settings)).error?.code).toBe('not_allowed')
  })
})
