import { describe, expect, it } from 'vitest'
import { errorOf } from '../../bench-folder.ts'
import { makeShop } from './command-line.ts'

interface AuditLine {
  readonly toolId: string
  readonly state: string
  readonly capabilities: readonly string[]
}

describe('capabilities, from the outside', () => {
  it.each([
    ['run_shell', { cmd: ['true'], network: true }],
    ['run_tests', { command: ['true'], network: true }],
  ])('a command of %s gets no network if tools may not connect', async (tool, args) => {
    const shop = makeShop({ 'a.txt': 'one\n' })
    const less = ['--set', 'tools.capabilities.granted=["filesystem.*","process.*","system.*","state.*"]']
    const call = ['call', tool, JSON.stringify(args), '--yes', '--json']
    const denied = await shop.tongs([...call, ...less])
    expect(errorOf(denied.rows[0])).toMatchObject({
      code: 'capability_denied',
      details: { missing: ['network.connect'] },
    })
    const { network: _network, ...without } = args
    const rest = await shop.tongs(['call', tool, JSON.stringify(without), '--yes', '--json', ...less])
    expect(JSON.stringify(rest.rows)).not.toContain('capability_denied')
  })

  it('R-CHK-INT-4: what is not granted ends with exit code 3, is explained, counted and audited', async () => {
    const shop = makeShop({ 'a.txt': 'one\n' })
    const less = ['--set', 'tools.capabilities.granted=["filesystem.read"]']
    const write = ['call', 'write_file', '{"path":"b.txt","content":"x"}', '--yes', '--json']
    const denied = await shop.tongs([...write, ...less])
    expect(denied.code).toBe(3)
    expect(errorOf(denied.rows[0])).toMatchObject({
      code: 'capability_denied',
      class: 'AuthorizationError',
      state: 'DENIED',
      details: { missing: ['filesystem.write'] },
    })
    expect(shop.get('b.txt')).toBeNull()
    const read = await shop.tongs(['call', 'read_file', '{"path":"a.txt"}', '--json', ...less])
    expect(read.code).toBe(0)
    expect((await shop.tongs(write)).code).toBe(0)

    const why = await shop.tongs(['why', denied.rows[0]?.execution.id ?? ''])
    expect(why.out).toMatch(/deny +capabilities +not granted: filesystem\.write/)
    const { out: stats } = await shop.tongs(['stats', '--json'])
    expect(JSON.parse(stats)).toMatchObject({ calls: 3, denied: 1, capability_denials: 1 })
    const { out: trail } = await shop.tongs(['audit', 'export', '--json'])
    const lines = trail
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine)
    const granted = (tool: string, state: string) =>
      lines
        .filter(({ toolId, state: now }) => toolId === tool && now === state)
        .map(({ capabilities }) => capabilities)
    expect(granted('write_file', 'DENIED')).toEqual([[]])
    expect(granted('read_file', 'AUTHORIZED')).toEqual([['filesystem.read']])
    expect(granted('write_file', 'AUTHORIZED')).toEqual([['filesystem.read', 'filesystem.write']])
    shop.remove()
  })

  it('R-CHK-TOOL-4: tools shows what each declares, and a wrong word in the configuration is named with its place', async () => {
    const shop = makeShop()
    const { out } = await shop.tongs(['tools', '--json'])
    const tools = JSON.parse(out) as readonly { name: string; capabilities: readonly string[] }[]
    expect(tools.find(({ name }) => name === 'delete_path')?.capabilities).toEqual([
      'filesystem.read',
      'filesystem.write',
      'filesystem.delete',
    ])
    const wrong = await shop.tongs(['tools', '--set', 'tools.capabilities.granted=["filesystem.wirte"]'])
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('did you mean filesystem.write?')
    shop.remove()
  })
})
