import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import { watchSecrets } from '../../../src/runtime/shell/child-environment.ts'
import { bench } from '../../bench-folder.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('secrets among the variables of this process', () => {
  it('are looked for again when a variable has changed, and not before', async () => {
    const b = bench()
    const place = { root: b.root, stateDir: b.top }
    const { settings } = await loadConfiguration({ ...place, env: {}, isPersonal: false })
    vi.stubEnv('WATCHED_API_TOKEN', 'first-value-of-it')
    const known = watchSecrets(settings)
    const first = known()
    expect(first).toContain('first-value-of-it')
    expect(known()).toBe(first)
    vi.stubEnv('WATCHED_API_TOKEN', 'second-value-of-it')
    expect(known()).toContain('second-value-of-it')
    expect(known()).not.toContain('first-value-of-it')
    vi.stubEnv('LATER_SECRET', '')
    expect(known()).not.toContain('')
    vi.stubEnv('LATER_SECRET', 'came-in-later')
    expect(known()).toContain('came-in-later')
    vi.stubEnv('LATER_SECRET', undefined)
    expect(known()).not.toContain('came-in-later')
  })
})
