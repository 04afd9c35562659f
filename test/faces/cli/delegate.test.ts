import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { makeShop, TONGS } from './command-line.ts'
import type { CommandEnd } from './command-line.ts'
import { openPane } from './pane.ts'

const TASK = 'Write n.txt.'
const SCRIPT = {
  turns: [{ calls: [{ id: 'd1', name: 'delegate', args: { task: TASK } }] }, { text: 'All done.' }],
  delegates: {
    [TASK]: [
      { calls: [{ id: 'd1', name: 'write_file', args: { path: 'n.txt', content: 'n\n' } }] },
      { text: 'It is there.' },
    ],
  },
}

interface Row {
  readonly [field: string]: unknown
}

const rowsOf = ({ out }: CommandEnd): readonly Row[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

const readerOf = (path: string) => [
  { calls: [{ id: 'r1', name: 'read_file', args: { path } }] },
  { text: 'Read.' },
]

describe('a delegated conversation on the command line', () => {
  it('asks on the terminal after the one beside it was answered', async () => {
    const shop = makeShop({
      'one.ini': 'token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"\n',
      'two.ini': 'token = "ghp_Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"\n',
    })
    cleanUpWith(shop.remove)
    const script = join(shop.stateDir, '..', 'script.json')
    const delegate = (id: string, task: string) => ({
      id,
      name: 'delegate',
      args: { task, tools: ['read_file'] },
    })
    const turns = [{ calls: [delegate('d1', 'One.'), delegate('d2', 'Two.')] }, { text: 'All done.' }]
    const delegates = { 'One.': readerOf('one.ini'), 'Two.': readerOf('two.ini') }
    writeFileSync(script, JSON.stringify({ turns, delegates }))
    const pane = await openPane(100, 50, shop.root, shop.env)
    await pane.type(`'${TONGS}' run go --model 'script:${script}'`)
    await pane.press('Enter')
    const one = await pane.until(/remove the secrets[\s\S]*^> ?$/m)
    expect(one.match(/May the model be given/g)).toHaveLength(1)
    await pane.press('n', 'Enter')
    const both = await pane.until(/May the model be given[\s\S]*May the model be given[\s\S]*^> ?$/m)
    expect(both).toMatch(/> n[\s\S]*May the model be given/)
    await pane.press('n', 'Enter')
    await pane.until(/All done\./)
  })

  it('waits with its parent, and goes on in other processes; each record shows whose calls they are', async () => {
    const shop = makeShop({ 'a.txt': 'alpha\n' })
    cleanUpWith(shop.remove)
    const script = join(shop.stateDir, '..', 'script.json')
    writeFileSync(script, JSON.stringify(SCRIPT))
    const model = ['--model', `script:${script}`]
    const asked = await shop.tongs(['run', 'go', ...model, '--json', '--no-input'])
    expect(asked.code).toBe(4)
    const approval = rowsOf(asked).find(({ event }) => event === 'approval')
    expect(approval).toMatchObject({ delegate: { task: TASK } })
    expect(existsSync(join(shop.root, 'n.txt'))).toBe(false)
    const pending = await shop.tongs(['pending'])
    expect(pending.out).toContain('A delegated conversation wants this, for the task that is shown.')
    expect(pending.out).toContain(`  │ task of the conversation = ${JSON.stringify(TASK)}`)
    // Before the bar, the words of a model could pass for words of the question.
    expect(pending.out.split('\n').filter((row) => row.includes(TASK) && !row.startsWith('  │'))).toEqual([])
    const approved = await shop.tongs(['approve', String(approval?.['id'])])
    expect([approved.code, existsSync(join(shop.root, 'n.txt'))]).toEqual([0, true])

    const end = await shop.tongs(['run', '--continue', ...model, '--json', '--no-input'])
    expect([end.code, end.err]).toEqual([0, expect.any(String)])
    const events = rowsOf(end)
    expect(events.map(({ event }) => event)).toEqual(['turn', 'result', 'result', 'text', 'done'])
    expect(events[1]).toMatchObject({ name: 'write_file', delegate: { id: 'd1' } })
    expect(events.at(-1)).toMatchObject({ stop: 'end', changes: [{ path: 'n.txt', change: 'created' }] })
    const { execution } = (events[1]?.['delegate'] ?? {}) as Row

    const audit = rowsOf(await shop.tongs(['audit', 'export', '--json'])).filter(
      ({ toolId }) => toolId === 'write_file',
    )
    expect(new Set(audit.map(({ delegatedBy }) => delegatedBy))).toEqual(new Set([execution]))
    const log = await shop.tongs(['log'])
    expect(log.out).toMatch(/COMPLETED\s+↳ write_file, n\.txt/)
    const call = String(audit[0]?.['executionId'])
    expect((await shop.tongs(['why', call])).out).toContain(
      `made by the delegated conversation of ${String(execution)}`,
    )
    expect((await shop.tongs(['audit', 'verify'])).code).toBe(0)
    expect((await shop.tongs(['undo', '--turn', '--yes'])).code).toBe(0)
    expect(existsSync(join(shop.root, 'n.txt'))).toBe(false)
  })

  it('cannot be held by call', async () => {
    const shop = makeShop({})
    cleanUpWith(shop.remove)
    const end = await shop.tongs(['call', 'delegate', JSON.stringify({ task: TASK }), '--json'])
    expect(end.code).toBe(3)
    expect(rowsOf(end)[0]).toMatchObject({ error: { code: 'not_allowed' } })
  })
})
