import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { benchAskingBefore } from '../../bench-folder.ts'

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ'.repeat(3).slice(0, 36)}`

describe('a call that is answered later', () => {
  it.each(['model', 'person'] as const)('is still the call of a %s, for gates too', async (origin) => {
    const b = benchAskingBefore({})
    const seen = join(b.top, 'seen.json')
    const gate = b.put('gate.sh', `#!/bin/sh\ncat > ${seen}\necho abstain\n`)
    chmodSync(gate, 0o755)
    const config = { 'tools.gates': [{ name: 'g', command: [gate], timeout_seconds: 60, tools: ['*'] }] }
    const first = await b.open({ durability: 'normal', config, approve: 'later' })
    await first.run([{ id: '1', name: 'write_file', args: { path: 'a.txt', content: 'a' } }], { origin })
    await first.close()
    const second = await b.open({ durability: 'normal', config })
    const { results } = await second.decide('all', { isApproved: true })
    expect(results.map(({ ok }) => ok)).toEqual([true])
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toMatchObject({ origin })
  })

  it('of a model is given without secrets', async () => {
    const b = benchAskingBefore({ 'a.txt': `GITHUB_TOKEN=${TOKEN}\n` })
    const consent = { tool: 'read_file', type: 'RequiresConsent', priority: 0 }
    const config = { 'tools.rules': [consent], 'secrets.to_model': 'deny' }
    for (const origin of ['model', 'runtime'] as const) {
      const first = await b.open({ durability: 'normal', config, approve: 'later' })
      await first.run([{ id: '1', name: 'read_file', args: { path: 'a.txt' } }], { origin })
      await first.close()
      const second = await b.open({ durability: 'normal', config })
      const { results } = await second.decide('all', { isApproved: true })
      expect(results.map(({ ok }) => ok)).toEqual([true])
      expect(JSON.stringify(results)).not.toContain(TOKEN)
      await second.close()
    }
  })
})
