import { describe, expect, it } from 'vitest'
import { makeScripted, openEditor } from './open-editor.ts'

const WRITE = {
  text: 'I write it.',
  calls: [{ id: 'c1', name: 'write_file', args: { path: 'a.txt', content: 'new\n' } }],
}

describe('a turn in an editor', () => {
  it('asks with the diff, edits after a yes, and ends', async () => {
    const shop = makeScripted([WRITE, { text: 'Done.' }])
    const editor = await openEditor(shop)
    expect(editor.introduced).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'tongs' } })
    const session = await editor.begin()
    expect(session).toMatch(/^acp-/)
    const response = await editor.prompt(session, 'write it')
    expect(response.stopReason).toBe('end_turn')
    expect(editor.said()).toContain('I write it.')
    expect(editor.said()).toContain('Done.')
    expect(editor.asked).toHaveLength(1)
    expect(editor.asked[0]?.toolCall.content).toContainEqual({
      type: 'diff',
      path: `${shop.root}/a.txt`,
      oldText: null,
      newText: 'new\n',
    })
    expect(editor.ofKind('tool_call')).toMatchObject([
      { name: 'write_file', kind: 'edit', status: 'pending', locations: [{ path: `${shop.root}/a.txt` }] },
    ])
    expect(editor.ofKind('tool_call_update').at(-1)).toMatchObject({
      toolCallId: editor.ofKind('tool_call')[0]?.toolCallId,
      status: 'completed',
      content: [{ type: 'diff', path: `${shop.root}/a.txt`, oldText: null, newText: 'new\n' }],
    })
    expect(shop.get('a.txt')).toBe('new\n')
    expect(await editor.end()).toBe(0)
  })
})
