import { describe, expect, it } from 'vitest'
import { makeScripted, openEditor } from './open-editor.ts'

const run = (id: string, words: string) => ({
  text: '',
  calls: [{ id, name: 'run_shell', args: { cmd: ['sh', '-c', words] } }],
})

describe('an editor', () => {
  it('draws a command as a terminal if it can, and the command runs in the sandbox all the same', async () => {
    const shop = makeScripted([run('c1', 'echo seen; echo made > made.txt; exit 3'), { text: 'Done.' }])
    const editor = await openEditor(shop, {
      capabilities: { terminal: true, _meta: { terminal_output: true } },
    })
    await editor.prompt(await editor.begin(), 'go')
    const [call] = editor.ofKind('tool_call')
    const id = call?.toolCallId
    expect(call).toMatchObject({
      content: [{ type: 'terminal', terminalId: id }],
      _meta: { terminal_info: { terminal_id: id, cwd: shop.root } },
    })
    const updates = editor.ofKind('tool_call_update')
    expect(updates).toContainEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      _meta: { terminal_output: { terminal_id: id, data: 'seen\n' } },
    })
    expect(updates.at(-1)).toMatchObject({
      content: [
        { type: 'terminal', terminalId: id },
        { type: 'diff', newText: 'made\n' },
      ],
      _meta: { terminal_exit: { terminal_id: id, exit_code: 3 }, tongs: {} },
    })
    expect(shop.get('made.txt')).toBe('made\n')
  })

  it('is shown a command as text if it cannot, or if the command never ran', async () => {
    const shop = makeScripted([run('c1', 'echo seen'), { text: 'Done.' }])
    const plain = await openEditor(shop, { capabilities: { terminal: true } })
    await plain.prompt(await plain.begin(), 'go')
    expect(JSON.stringify(plain.updates)).not.toContain('"terminal')
    const denied = makeScripted([run('c1', 'echo seen'), { text: 'Done.' }])
    const editor = await openEditor(denied, {
      capabilities: { _meta: { terminal_output: true } },
      words: ['--model', `script:${denied.stateDir}/../script.json`, '--preset', 'plan'],
    })
    await editor.prompt(await editor.begin(), 'go')
    expect(editor.ofKind('tool_call_update').at(-1)).toMatchObject({
      status: 'failed',
      content: [{ type: 'content' }],
    })
  })

  it('is told when the last item of a plan is gone', async () => {
    const todo = (id: string, args: object) => ({ text: '', calls: [{ id, name: 'todo_write', args }] })
    const shop = makeScripted([
      todo('c1', { action: 'create', title: 'Look' }),
      todo('c2', { action: 'delete', id: 't1' }),
      { text: 'Done.' },
    ])
    const editor = await openEditor(shop)
    await editor.prompt(await editor.begin(), 'go')
    expect(editor.ofKind('plan').map(({ entries }) => entries.length)).toEqual([1, 0])
  })

  it('can add the words of the sign-in to those that start the agent', async () => {
    const shop = makeScripted([])
    const { code, err } = await shop.tongs(['acp', 'setup', '--no-input'])
    expect([code, err]).toEqual([2, expect.stringContaining('--model')])
    const other = await shop.tongs(['acp', 'nonsense'])
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('usage: tongs acp [setup]')])
  })
})
