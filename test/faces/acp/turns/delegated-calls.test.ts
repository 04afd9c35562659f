import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { makeScripted, openEditor, scriptOf } from '../open-editor.ts'
import type { Editor, EditorWish } from '../open-editor.ts'

const TASK = 'Write n.txt.'
const SCRIPT = {
  turns: [{ calls: [{ id: 'd1', name: 'delegate', args: { task: TASK } }] }, { text: 'All done.' }],
  delegates: {
    [TASK]: [
      // Its conversation may give its calls the same ids.
      { calls: [{ id: 'd1', name: 'write_file', args: { path: 'n.txt', content: 'n\n' } }] },
      { text: 'It is there.' },
    ],
  },
}

function makeDelegating() {
  const shop = makeScripted([], { 'a.txt': 'alpha\n' })
  writeFileSync(scriptOf(shop), JSON.stringify(SCRIPT))
  return shop
}

type Announced = Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call' }>

/** The delegating call and the one that was made for it. */
function bothOf(editor: Editor): readonly [Announced, Announced] {
  const [delegating, nested, ...others] = editor.ofKind('tool_call')
  if (delegating === undefined || nested === undefined || others.length > 0)
    throw new Error('there are not two calls')
  return [delegating, nested]
}

function expectNested(editor: Editor): void {
  const [delegating, nested] = bothOf(editor)
  expect(delegating).toMatchObject({ name: 'delegate', rawInput: { task: TASK } })
  expect(JSON.stringify(delegating)).not.toContain('execution')
  expect(nested).toMatchObject({
    title: '↳ write_file n.txt',
    rawInput: { path: 'n.txt' },
    _meta: { tongs: { id: 'd1', delegate: { execution: delegating.toolCallId } } },
  })
}

describe('what a delegated conversation does', () => {
  it('is shown below the call that it belongs to, also when the session is opened again', async () => {
    const shop = makeDelegating()
    const editor = await openEditor(shop)
    const sessionId = await editor.begin()
    await editor.prompt(sessionId, 'go')
    expectNested(editor)
    await editor.end()
    const next = await openEditor(shop)
    await next.agent.request('session/load', { sessionId, cwd: shop.root, mcpServers: [] })
    expectNested(next)
  })

  const LATER: EditorWish = {
    ask: () => ({ outcome: { outcome: 'selected', optionId: 'later' } }),
    capabilities: { _meta: { tongs: { later: true } } },
  }

  it.for(['the same agent', 'another agent'])(
    'waits for a late answer, and goes on after it in %s',
    async (where) => {
      const shop = makeDelegating()
      const first = await openEditor(shop, LATER)
      const sessionId = await first.begin()
      const { _meta: meta } = await first.prompt(sessionId, 'go')
      expect(meta).toMatchObject({ tongs: { stop: 'approval_pending' } })
      expect(existsSync(join(shop.root, 'n.txt'))).toBe(false)
      let editor = first
      if (where !== 'the same agent') {
        await first.end()
        editor = await openEditor(shop, LATER)
        const { _meta: left } = await editor.agent.request('session/load', {
          sessionId,
          cwd: shop.root,
          mcpServers: [],
        })
        expect(left).toMatchObject({ tongs: { pending: [{ delegate: { task: TASK } }] } })
      }
      const { approvals } = await editor.agent.request<{ approvals: { id: string }[] }>('_tongs/pending', {
        sessionId,
      })
      const answered = await editor.agent.request('_tongs/answer', {
        sessionId,
        approval: approvals[0]?.id,
        answer: 'once',
      })
      expect(answered).toMatchObject({ taken: true, faults: [] })
      const end = await editor.agent.request('_tongs/continue', { sessionId })
      expect(end).toMatchObject({
        stopReason: 'end_turn',
        _meta: { tongs: { stop: 'end', changes: [{ path: 'n.txt', change: 'created' }] } },
      })
      expect(editor.said()).toContain('All done.')
      expect(shop.get('n.txt')).toBe('n\n')
      const [delegating, nested] = bothOf(editor)
      for (const { toolCallId } of [delegating, nested])
        expect(
          editor.ofKind('tool_call_update').findLast((update) => update.toolCallId === toolCallId),
        ).toMatchObject({ status: 'completed' })
    },
  )
})
