import { describe, expect, it, vi } from 'vitest'
import { isJsonObject } from '../../../src/core/json/value.ts'
import { makeScripted, openEditor } from './open-editor.ts'
import type { Ask } from './open-editor.ts'

const WRITE = {
  text: 'I write it.',
  calls: [{ id: 'c1', name: 'write_file', args: { path: 'a.txt', content: 'new\n' } }],
}
const later: Ask = () => ({ outcome: { outcome: 'cancelled' } })

describe('methods beyond the protocol', () => {
  it('lists what waits, answers it, and goes on', async () => {
    const shop = makeScripted([WRITE, { text: 'Done.' }])
    const editor = await openEditor(shop, { ask: later })
    const sessionId = await editor.begin()
    const response = await editor.prompt(sessionId, 'write it')
    expect(response).toMatchObject({
      stopReason: 'end_turn',
      _meta: { tongs: { stop: 'approval_pending' } },
    })
    expect(editor.said()).toContain('Waiting for approval: one call.')
    const pending = await editor.agent.request<{ approvals: readonly { id: string }[] }>('_tongs/pending', {
      sessionId,
    })
    expect(pending.approvals).toMatchObject([
      {
        call: { name: 'write_file' },
        risk: expect.any(String) as string,
        diff: expect.any(String) as string,
      },
    ])
    const approval = pending.approvals[0]?.id
    const answered = await editor.agent.request('_tongs/answer', { sessionId, approval, answer: 'once' })
    expect(answered).toMatchObject({ taken: true, results: [{ ok: true }], faults: [] })
    expect(shop.get('a.txt')).toBe('new\n')
    const rest = await editor.agent.request('_tongs/continue', { sessionId })
    expect(rest).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.said()).toContain('Done.')
  })

  it('answers a question that is being asked, with hunks of the diff', async () => {
    const lines = Array.from({ length: 30 }, (_none, index) => `line ${index + 1}`)
    const content = `${lines.with(0, 'FIRST').with(29, 'LAST').join('\n')}\n`
    const shop = makeScripted(
      [
        { text: '', calls: [{ id: 'r', name: 'read_file', args: { path: 'a.txt' } }] },
        { text: '', calls: [{ id: 'w', name: 'write_file', args: { path: 'a.txt', content } }] },
        { text: 'Done.' },
      ],
      { 'a.txt': `${lines.join('\n')}\n` },
    )
    const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<string>()
    const editor = await openEditor(shop, {
      ask: ({ _meta: meta }) => {
        const question: unknown = meta?.['tongs']
        noteAsked(isJsonObject(question) ? String(question['id']) : '')
        return new Promise(() => undefined)
      },
    })
    const sessionId = await editor.begin()
    const prompted = editor.prompt(sessionId, 'go')
    const approval = await isAsked
    const answer = { sessionId, approval, answer: 'once', hunks: [2] }
    expect(await editor.agent.request('_tongs/answer', answer)).toMatchObject({ taken: true })
    await prompted
    expect(shop.get('a.txt')).toBe(`${lines.with(29, 'LAST').join('\n')}\n`)
  })

  it.each(['before', 'after'] as const)(
    'counts the first of two answers that come in one piece, and tells the other: a no %s the yes of a dialog',
    async (order) => {
      const shop = makeScripted([WRITE, { text: 'Done.' }])
      const second = Promise.withResolvers<unknown>()
      const editor = await openEditor(shop, {
        ask: ({ sessionId, _meta: meta }) => {
          const question: unknown = meta?.['tongs']
          const approval = isJsonObject(question) ? question['id'] : null
          const deny = (): void =>
            second.resolve(editor.agent.request('_tongs/answer', { sessionId, approval, answer: 'deny' }))
          if (order === 'before') deny()
          else setImmediate(deny)
          return { outcome: { outcome: 'selected', optionId: 'once' } }
        },
      })
      const sessionId = await editor.begin()
      await editor.prompt(sessionId, 'go')
      const { taken, faults } = (await second.promise) as { taken: boolean; faults: readonly unknown[] }
      const isWritten = shop.get('a.txt') === 'new\n'
      expect([taken, faults.length]).toEqual(isWritten ? [false, 1] : [true, 0])
      if (isWritten) expect(faults).toMatchObject([{ why: expect.stringContaining('already approved') }])
      // It may be told after the turn has ended.
      else
        await vi.waitFor(() => expect(editor.said()).toContain('came too late: the call was already denied'))
    },
  )

  it('takes the answers to questions of a batch in any order, also if one of them is put off', async () => {
    const calls = ['a', 'b', 'c'].map((name) => ({
      id: name,
      name: 'write_file',
      args: { path: `${name}.txt`, content: name },
    }))
    const shop = makeScripted([{ text: 'I write.', calls }, { text: 'Done.' }])
    const faults: unknown[] = []
    const editor = await openEditor(shop, {
      ask: async ({ sessionId }) => {
        const { approvals } = await editor.agent.request<{ approvals: readonly { id: string }[] }>(
          '_tongs/pending',
          { sessionId },
        )
        const answer = (approval: string | undefined, word: string) =>
          editor.agent.request('_tongs/answer', { sessionId, approval, answer: word })
        faults.push(await answer(approvals[2]?.id, 'once'), await answer(approvals[2]?.id, 'deny'))
        return { outcome: { outcome: 'cancelled' } }
      },
    })
    const sessionId = await editor.begin()
    await editor.prompt(sessionId, 'go')
    const why = 'was already approved, and the first answer counts'
    expect(faults).toMatchObject([{ taken: true }, { taken: false, faults: [{ why }] }])
    const left = await editor.agent.request('_tongs/pending', { sessionId })
    expect(left).toMatchObject({ approvals: [{ call: { id: 'a' } }, { call: { id: 'b' } }] })
  })

  it('offers later to a client that knows it, and takes it for neither yes nor no', async () => {
    const shop = makeScripted([WRITE])
    const editor = await openEditor(shop, {
      ask: () => ({ outcome: { outcome: 'selected', optionId: 'later' } }),
      capabilities: { _meta: { tongs: { later: true } } },
    })
    const sessionId = await editor.begin()
    await editor.prompt(sessionId, 'go')
    expect(editor.asked[0]?.options.map(({ optionId }) => optionId)).toEqual(
      expect.arrayContaining(['once', 'duration', 'deny', 'later']),
    )
    expect(await editor.agent.request('_tongs/pending', { sessionId })).toMatchObject({ approvals: [{}] })
    const [call] = editor.ofKind('tool_call')
    expect(editor.ofKind('tool_call_update').at(-1)).toMatchObject({
      toolCallId: call?.toolCallId,
      status: 'pending',
      content: [
        { content: { text: 'This call waits for your answer. Send /pending to be asked again.' } },
        { type: 'diff', newText: 'new\n' },
        {},
      ],
      _meta: { tongs: { waiting: { approval: expect.any(String) as string } } },
    })
    const other = await openEditor(makeScripted([WRITE]))
    await other.prompt(await other.begin(), 'go')
    expect(other.asked[0]?.options.map(({ optionId }) => optionId)).not.toContain('later')
  })

  it.for([
    ['an error', () => Promise.reject(new Error('no dialog here'))],
    ['an option that was not offered', () => ({ outcome: { outcome: 'selected', optionId: 'yes please' } })],
    [
      'hunks that are not there',
      () => ({ outcome: { outcome: 'selected', optionId: 'once' }, _meta: { tongs: { hunks: [9] } } }),
    ],
  ] as readonly (readonly [string, Ask])[])('never takes %s for a yes', async ([, ask]) => {
    const shop = makeScripted([WRITE])
    const editor = await openEditor(shop, { ask })
    const sessionId = await editor.begin()
    await editor.prompt(sessionId, 'go')
    expect(shop.get('a.txt')).toBeNull()
    expect(await editor.agent.request('_tongs/pending', { sessionId })).toMatchObject({ approvals: [{}] })
  })

  it('remembers a yes for a scope, and asks no more', async () => {
    const again = {
      ...WRITE,
      calls: [{ id: 'c2', name: 'write_file', args: { path: 'b.txt', content: 'b' } }],
    }
    const shop = makeScripted([WRITE, again, { text: 'Done.' }])
    const editor = await openEditor(shop, {
      ask: () => ({ outcome: { outcome: 'selected', optionId: 'duration' } }),
    })
    await editor.prompt(await editor.begin(), 'go')
    expect(editor.asked).toHaveLength(1)
    expect(shop.get('b.txt')).toBe('b')
  })

  it('lists the files of an undo first, takes them back, and brings them back', async () => {
    const shop = makeScripted([WRITE, { text: 'Done.' }])
    const editor = await openEditor(shop)
    const sessionId = await editor.begin()
    await editor.prompt(sessionId, 'write it')
    const shown = await editor.agent.request('_tongs/undo', { sessionId, dryRun: true })
    expect(shown).toMatchObject({ ok: true, files: [{ path: 'a.txt', action: 'removed' }] })
    expect(shop.get('a.txt')).toBe('new\n')
    await editor.agent.request('_tongs/undo', { sessionId })
    expect(shop.get('a.txt')).toBeNull()
    await editor.agent.request('_tongs/redo', { sessionId })
    expect(shop.get('a.txt')).toBe('new\n')
    // The same by a command, which asks first.
    const response = await editor.prompt(sessionId, '/undo')
    expect(response.stopReason).toBe('end_turn')
    expect(editor.asked.at(-1)?.toolCall).toMatchObject({ title: 'Undo this?' })
    expect(editor.said()).toContain('Nothing was changed.')
    expect(shop.get('a.txt')).toBe('new\n')
  })

  it('makes a function of the editor a tool, asked about like any other', async () => {
    const shop = makeScripted([
      { text: '', calls: [{ id: 'c1', name: 'open_buffers', args: { match: 'a' } }] },
      { text: '', calls: [{ id: 'c2', name: 'open_buffers', args: { match: 7 } }] },
      { text: 'Done.' },
    ])
    const calls: unknown[] = []
    const editor = await openEditor(shop, {
      capabilities: { _meta: { tongs: { tools: true } } },
      answers: {
        '_tongs/tools/call': (params) => {
          calls.push(params)
          return { text: 'a.el' }
        },
      },
    })
    const sessionId = await editor.begin()
    const tool = {
      name: 'open_buffers',
      description: 'Lists open buffers.',
      inputSchema: { type: 'object', properties: { match: { type: 'string' } } },
    }
    const registered = await editor.agent.request('_tongs/tools/register', { sessionId, tools: [tool] })
    expect(registered).toEqual({ tools: [{ name: 'open_buffers', effect: 'external' }] })
    await editor.prompt(sessionId, 'go')
    expect(editor.asked).toHaveLength(1)
    expect(calls).toMatchObject([{ sessionId, name: 'open_buffers', args: { match: 'a' } }])
    const ends = editor.ofKind('tool_call_update').filter(({ rawOutput }) => rawOutput !== undefined)
    expect(ends).toMatchObject([
      { status: 'completed', rawOutput: { text: 'a.el' } },
      { status: 'failed', rawOutput: { code: 'bad_args' } },
    ])
    const taken = { ...tool, name: 'read_file' }
    await expect(
      editor.agent.request('_tongs/tools/register', { sessionId, tools: [taken] }),
    ).rejects.toMatchObject({ message: 'There is a tool read_file already.' })
  })

  it('takes no name that a tool of a server has or will have once it is trusted', async () => {
    const shop = makeScripted([])
    const editor = await openEditor(shop, { capabilities: { _meta: { tongs: { tools: true } } } })
    const sessionId = await editor.begin()
    const tool = { name: 'notes__search', description: 'Searches.', inputSchema: { type: 'object' } }
    await expect(
      editor.agent.request('_tongs/tools/register', { sessionId, tools: [tool] }),
    ).rejects.toMatchObject({
      message: 'notes__search would be the name of a tool of an MCP server: leave out __.',
    })
  })

  it('says what happened and why, and what is unknown', async () => {
    const shop = makeScripted([WRITE, { text: 'Done.' }])
    const editor = await openEditor(shop)
    const sessionId = await editor.begin()
    await editor.prompt(sessionId, 'write it')
    const call = editor.ofKind('tool_call')[0]?.toolCallId
    expect(await editor.agent.request('_tongs/why', { sessionId, call })).toMatchObject({
      calls: [{ execution: call, verdict: 'allowed', gate: 'approval' }],
    })
    const { entries } = await editor.agent.request<{ entries: readonly unknown[] }>('_tongs/log', {
      sessionId,
      last: 3,
    })
    expect(entries).toHaveLength(3)
    expect(await editor.agent.request('_tongs/recover', { sessionId })).toEqual({ interrupted: null })
    expect(await editor.agent.request('_tongs/tasks', { sessionId })).toEqual({ todos: [], tasks: [] })
    for (const [method, params] of [
      ['_tongs/undo', { sessionId, dryrun: true }],
      ['_tongs/answer', { sessionId, approval: 'x', answer: 'perhaps' }],
      ['_tongs/steer', { sessionId }],
      ['_tongs/pending', {}],
    ] as const)
      await expect(editor.agent.request(method, params)).rejects.toMatchObject({ code: -32_602 })
    await expect(editor.agent.request('_tongs/unheard_of', { sessionId })).rejects.toMatchObject({
      code: -32_601,
    })
    expect(shop.get('a.txt')).toBe('new\n')
  })

  it('decides about a turn that was killed', async () => {
    const sleep = { id: 'c1', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo on; sleep 300'] } }
    const shop = makeScripted([{ text: 'Wait.', calls: [sleep] }, { text: 'Went on.' }])
    const first = await openEditor(shop)
    const sessionId = await first.begin()
    const lost = first.prompt(sessionId, 'go').catch(() => null)
    await first.until((update) => JSON.stringify(update).includes('"on'))
    await first.end('SIGKILL')
    await lost
    const second = await openEditor(shop, {
      ask: () => ({ outcome: { outcome: 'selected', optionId: 'resume' } }),
    })
    const loaded = await second.agent.request('session/load', { sessionId, cwd: shop.root, mcpServers: [] })
    expect(loaded).toMatchObject({
      _meta: { tongs: { interrupted: { calls: [{ name: 'run_shell' }] } } },
    })
    const response = await second.prompt(sessionId, '/recover')
    expect(response.stopReason).toBe('end_turn')
    expect(second.asked).toHaveLength(1)
    await second.agent.request('_tongs/continue', { sessionId })
    expect(second.said()).toContain('Went on.')
  })
})
