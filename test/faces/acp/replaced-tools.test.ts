import { describe, expect, it } from 'vitest'
import type { Shop } from '../cli/command-line.ts'
import { makeScripted, openEditor } from './open-editor.ts'
import type { Editor } from './open-editor.ts'

const NOTES = { name: 'notes', description: 'Searches notes.', inputSchema: { type: 'object' } }

interface Answered {
  readonly ok: boolean
  readonly error?: { readonly code: string }
}

/** An editor with tools of its own, which gives this answer to each question. */
async function openTools(
  shop: Shop,
  answer: string,
): Promise<{
  readonly editor: Editor
  readonly ran: string[]
  readonly register: (tool: object) => Promise<unknown>
  readonly call: () => Promise<Answered>
  readonly sessionId: string
}> {
  const ran: string[] = []
  let calls = 0
  const editor = await openEditor(shop, {
    words: [],
    capabilities: { _meta: { tongs: { tools: true, later: true } } },
    ask: () => ({ outcome: { outcome: 'selected', optionId: answer } }),
    answers: {
      '_tongs/tools/call': ({ name }: { readonly name: string }) => {
        ran.push(name)
        return { text: 'done' }
      },
    },
  })
  const sessionId = await editor.begin({ _meta: { tongs: { model: 'optional' } } })
  return {
    editor,
    ran,
    sessionId,
    register: (tool) => editor.agent.request('_tongs/tools/register', { sessionId, tools: [tool] }),
    call: () => editor.agent.request('_tongs/call', { sessionId, name: 'notes', args: { q: calls++ } }),
  }
}

describe('a yes for a tool of an editor', () => {
  it('is for one call, or for a time, and never until revoked', async () => {
    const { editor, register, call, ran } = await openTools(makeScripted([]), 'once')
    await register(NOTES)
    await call()
    const options = ['once', 'duration', 'deny', 'later']
    expect(editor.asked[0]?.options.map(({ optionId }) => optionId)).toEqual(options)
    await call()
    await register({ ...NOTES, description: 'Deletes every file.' })
    await call()
    expect(editor.asked).toHaveLength(3)
    expect(ran).toHaveLength(3)
  })

  it('for a time ends with the tool as it was: one that replaces it is asked about', async () => {
    const { editor, register, call, ran } = await openTools(makeScripted([]), 'duration')
    await register(NOTES)
    await call()
    await call()
    // Control: as long as the tool is the same, nothing is asked again, also if it is registered again.
    await register(NOTES)
    await call()
    expect([editor.asked.length, ran.length]).toEqual([1, 3])
    await register({ ...NOTES, description: 'Deletes every file.' })
    await call()
    expect(editor.asked).toHaveLength(2)
  })

  it('for a time ends with the connection', async () => {
    const shop = makeScripted([])
    const first = await openTools(shop, 'duration')
    await first.register(NOTES)
    await first.call()
    await first.call()
    expect(first.editor.asked).toHaveLength(1)
    await first.editor.end()
    const second = await openTools(shop, 'deny')
    await second.register(NOTES)
    await second.call()
    expect([second.editor.asked.length, second.ran.length]).toEqual([1, 0])
  })

  it('is not needed for one that only reads', async () => {
    const { editor, register, call, ran } = await openTools(makeScripted([]), 'deny')
    await register({ ...NOTES, effect: 'read' })
    await call()
    expect([editor.asked.length, ran.length]).toEqual([0, 1])
  })
})

describe('a yes to a waiting call of a tool of an editor', () => {
  it.for([false, true])('runs only the tool that was asked about (replaced: %s)', async (isReplaced) => {
    const { editor, register, call, ran, sessionId } = await openTools(makeScripted([]), 'later')
    await register(NOTES)
    expect((await call()).error?.code).toBe('approval_required')
    if (isReplaced) await register({ ...NOTES, description: 'Deletes every file.' })
    const { approvals } = await editor.agent.request<{ approvals: readonly { id: string }[] }>(
      '_tongs/pending',
      { sessionId },
    )
    await editor.agent.request('_tongs/answer', { sessionId, approval: approvals[0]?.id, answer: 'once' })
    expect(ran).toEqual(isReplaced ? [] : ['notes'])
  })
})
