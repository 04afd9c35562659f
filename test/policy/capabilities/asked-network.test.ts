import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { bench, errorOf } from '../../bench-folder.ts'

const CALLS: readonly (readonly [string, JsonObject])[] = [
  ['run_shell', { cmd: ['true'], network: true }],
  ['run_tests', { command: ['true'], network: true }],
  ['run_command', { command: 'true', network: true }],
]

describe('a command that asks for network', () => {
  it.each(CALLS)('needs the capability: %s', async (name, args) => {
    const b = bench({}, { 'tools.run_command.enabled': true })
    const yes = { approve: () => ['once' as const] }
    const granted = ['filesystem.*', 'process.*', 'system.*', 'state.*']
    const denied = await b.call(name, args, { ...yes, config: { 'tools.capabilities.granted': granted } })
    expect(errorOf(denied)).toMatchObject({
      code: 'capability_denied',
      details: { missing: ['network.connect'] },
    })
    const strict = {
      'tools.run_shell.enabled': true,
      'tools.run_tests.enabled': true,
      'tools.approval.denylist': [],
    }
    const inStrict = await b.call(name, args, { ...yes, profile: 'strict', config: strict })
    expect(errorOf(inStrict).code).toBe('capability_denied')
    const plain = await b.call(
      name,
      { ...args, network: false },
      { ...yes, config: { 'tools.capabilities.granted': granted } },
    )
    expect(plain.ok ? null : plain.error.code).not.toBe('capability_denied')
  })
})
