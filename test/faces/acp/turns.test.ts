import { describe, expect, it } from 'vitest'
import { makeScripted, openEditor, scriptOf } from './open-editor.ts'

const WRITE = {
  text: 'I write it.',
  calls: [{ id: 'c1', name: 'write_file', args: { path: 'a.txt', content: 'new\n' } }],
}

const SLEEP = { id: 'c1', name: 'run_shell', args: { command: 'echo begun; sleep 300' } }

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

  it('stops when it is cancelled, with the reason cancelled, and the command is gone', async () => {
    const shop = makeScripted([{ text: 'Wait.', calls: [SLEEP] }, { text: 'Never.' }])
    const editor = await openEditor(shop)
    const session = await editor.begin()
    const prompted = editor.prompt(session, 'go')
    await editor.until((update) => JSON.stringify(update).includes('begun'))
    await editor.agent.notify('session/cancel', { sessionId: session })
    expect((await prompted).stopReason).toBe('cancelled')
    expect(editor.ofKind('tool_call_update').at(-1)).toMatchObject({
      status: 'failed',
      rawOutput: { code: 'cancelled' },
    })
    expect(editor.said()).not.toContain('Never.')
  })

  it('shows what a command writes while it runs', async () => {
    const shop = makeScripted([{ text: 'Wait.', calls: [SLEEP] }])
    const editor = await openEditor(shop, { capabilities: { _meta: { tongs: { output: true } } } })
    const session = await editor.begin()
    const prompted = editor.prompt(session, 'go')
    const shown = await editor.until(
      (update) => update.sessionUpdate === 'tool_call_update' && JSON.stringify(update).includes('begun'),
    )
    const call = shown.sessionUpdate === 'tool_call_update' ? shown.toolCallId : ''
    const output = await editor.agent.request('_tongs/output', { sessionId: session, call })
    expect(output).toMatchObject({ text: 'begun\n', from: 0, next: 6, is_over: false })
    expect(editor.told).toContainEqual({
      method: '_tongs/output',
      params: { sessionId: session, execution: call, stream: 'stdout', chunk: 'begun\n' },
    })
    await editor.agent.notify('session/cancel', { sessionId: session })
    await prompted
  })

  it('denies with words, which the model is told', async () => {
    const shop = makeScripted([WRITE, { text: 'Then not.' }])
    const editor = await openEditor(shop, {
      ask: () => ({
        outcome: { outcome: 'selected', optionId: 'deny' },
        _meta: { tongs: { say: 'use b.txt instead' } },
      }),
    })
    const session = await editor.begin()
    expect((await editor.prompt(session, 'go')).stopReason).toBe('end_turn')
    expect(shop.get('a.txt')).toBeNull()
    expect(JSON.stringify(editor.ofKind('tool_call_update').at(-1))).toContain('use b.txt instead')
  })

  it('shows work items as a plan', async () => {
    const todo = { id: 'c1', name: 'todo_write', args: { action: 'create', title: 'sweep the floor' } }
    const shop = makeScripted([{ text: '', calls: [todo] }, { text: 'Noted.' }])
    const editor = await openEditor(shop)
    await editor.prompt(await editor.begin(), 'go')
    expect(editor.ofKind('plan').at(-1)?.entries).toEqual([
      { content: 'sweep the floor', priority: 'medium', status: 'pending' },
    ])
  })

  it('shows how full the context window is, and the title', async () => {
    const shop = makeScripted([{ text: 'Hello.' }])
    const editor = await openEditor(shop, {
      words: ['--model', `script:${scriptOf(shop)}`, '--set', 'model.context_tokens=50000'],
    })
    await editor.prompt(await editor.begin(), 'say hello')
    expect(editor.ofKind('usage_update').at(-1)).toMatchObject({ size: 50_000 })
    expect(editor.ofKind('session_info_update').at(-1)).toMatchObject({ title: 'say hello' })
  })

  it('gives the model what was attached as text, and says what it cannot see', async () => {
    const shop = makeScripted([{ text: 'Seen.' }])
    const editor = await openEditor(shop)
    const session = await editor.begin()
    await editor.prompt(session, [
      { type: 'text', text: 'Look at ' },
      { type: 'resource_link', uri: 'file:///x/a.txt', name: 'a.txt' },
      { type: 'resource', resource: { uri: 'file:///x/b.txt', text: 'inside b' } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ])
    expect(editor.said()).toContain('was not shown to the model')
    await editor.agent.request('session/load', { sessionId: session, cwd: shop.root, mcpServers: [] })
    const [said] = editor.ofKind('user_message_chunk')
    const text = said?.content.type === 'text' ? said.content.text : ''
    expect(text).toContain('Look at [a.txt](file:///x/a.txt)')
    expect(text).toContain('```\ninside b\n```')
    expect(text).toContain('you cannot see: image (image/png, 3 bytes)')
  })

  it('asks whether what a command changed may land, and discards it after a no', async () => {
    const run = { id: 'c1', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo made > made.txt'] } }
    const again = { ...run, args: { cmd: ['sh', '-c', 'echo twice > twice.txt'] } }
    const shop = makeScripted([{ text: '', calls: [run] }, { text: '', calls: [again] }, { text: 'Done.' }])
    const answers = ['deny', 'once']
    const editor = await openEditor(shop, {
      ask: () => ({ outcome: { outcome: 'selected', optionId: answers.shift() ?? 'deny' } }),
    })
    await editor.prompt(await editor.begin(), 'go')
    expect(editor.asked).toMatchObject([
      { _meta: { tongs: { kind: 'landing', changes: [{ path: 'made.txt', change: 'created' }] } } },
      { _meta: { tongs: { kind: 'landing', changes: [{ path: 'twice.txt', change: 'created' }] } } },
    ])
    expect(editor.asked[0]?.options.map(({ optionId }) => optionId)).not.toContain('duration')
    expect(editor.asked[0]?.toolCall.content?.[0]).toMatchObject({ type: 'diff', newText: 'made\n' })
    expect([shop.get('made.txt'), shop.get('twice.txt')]).toEqual([null, 'twice\n'])
  })

  it('runs one turn at a time, takes words in between, and cancels a question', async () => {
    const shop = makeScripted([WRITE, { text: 'Heard.' }])
    const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<void>()
    const editor = await openEditor(shop, {
      ask: () => {
        noteAsked()
        return new Promise(() => undefined)
      },
    })
    const sessionId = await editor.begin()
    const prompted = editor.prompt(sessionId, 'go')
    await isAsked
    await expect(editor.prompt(sessionId, 'and this')).rejects.toMatchObject({ code: -32_600 })
    await expect(
      editor.agent.request('session/set_mode', { sessionId, modeId: 'auto' }),
    ).rejects.toMatchObject({ data: { recovery: ['Wait for it to end, or cancel it.'] } })
    expect(await editor.agent.request('_tongs/steer', { sessionId, text: 'hurry' })).toEqual({ sent: true })
    await editor.agent.notify('session/cancel', { sessionId })
    expect((await prompted).stopReason).toBe('cancelled')
    expect(shop.get('a.txt')).toBeNull()
    expect(await editor.agent.request('_tongs/pending', { sessionId })).toMatchObject({ approvals: [] })
  })

  it('lists its commands, and runs them without the model', async () => {
    const shop = makeScripted([{ text: 'Hello.' }], { 'AGENTS.md': 'Be kind.\n' })
    const editor = await openEditor(shop)
    const sessionId = await editor.begin()
    const listed = await editor.until((update) => update.sessionUpdate === 'available_commands_update')
    const names = listed.sessionUpdate === 'available_commands_update' ? listed.availableCommands : []
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['compact', 'undo', 'redo', 'pending']),
    )
    for (const [command, says] of [
      ['/undo', /nothing|no change/i],
      ['/undo --nonsense', /Use \/undo/],
      ['/pending', /Nothing is waiting/],
      ['/recover', /Nothing was interrupted/],
      ['/context', /script:.*0 messages\.\nNotes: AGENTS\.md \(8 bytes\)\.$/],
      ['/why nobody', /Give the id of a call/],
    ] as const) {
      const before = editor.said().length
      expect((await editor.prompt(sessionId, command)).stopReason).toBe('end_turn')
      expect(editor.said().slice(before)).toMatch(says)
    }
    await editor.prompt(sessionId, '/unknown is for the model')
    expect(editor.said()).toContain('Hello.')
  })

  it('tells a failing model, with what to do', async () => {
    const shop = makeScripted([])
    const editor = await openEditor(shop, {
      words: [
        '--model',
        'compatible/none',
        '--base-url',
        'http://127.0.0.1:9/v1',
        '--set',
        'model.retry.max=0',
      ],
    })
    const sessionId = await editor.begin()
    await expect(editor.prompt(sessionId, 'hello')).rejects.toMatchObject({
      code: -32_603,
      data: { code: 'network' },
    })
  })
})
