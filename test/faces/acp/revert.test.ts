import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RevertReport } from '../../../src/pipeline/after/revert.ts'
import { makeScripted, openEditor } from './open-editor.ts'
import type { Ask } from './open-editor.ts'

type Shown = RevertReport & { readonly shown?: string }

const WRITES = ['two\n', 'three\n'].map((content, index) => ({
  text: '',
  calls: [{ id: `w${index}`, name: 'write_file', args: { path: 'a.txt', content } }],
}))
const READ = { text: '', calls: [{ id: 'r', name: 'read_file', args: { path: 'a.txt' } }] }

/** A session in which one line of a file was changed twice. */
async function changed(answer: Ask = () => ({ outcome: { outcome: 'selected', optionId: 'do' } })) {
  const shop = makeScripted([READ, ...WRITES, { text: 'Done.' }], { 'a.txt': 'one\n' })
  const editor = await openEditor(shop, {
    words: ['--model', `script:${join(shop.stateDir, '..', 'script.json')}`, '--preset', 'edits'],
    ask: answer,
  })
  const sessionId = await editor.begin()
  await editor.prompt(sessionId, 'go')
  const act = (method: 'undo' | 'redo', params: object = {}): Promise<Shown> =>
    editor.agent.request<Shown>(`_tongs/${method}`, { sessionId, ...params })
  return { shop, editor, sessionId, act }
}

describe('undo and redo through the methods of an editor', () => {
  it('show the one line that they change', async () => {
    const { act, shop } = await changed()
    const undo = await act('undo', { dryRun: true })
    expect(undo.diff).toContain('-three\n+two\n')
    await act('undo', { shown: undo.shown })
    expect(shop.get('a.txt')).toBe('two\n')
    const redo = await act('redo', { dryRun: true })
    expect(redo.diff).toContain('-two\n+three\n')
    await act('redo', { shown: redo.shown })
    expect(shop.get('a.txt')).toBe('three\n')
  })

  it('do exactly what was shown: if it is something else by then, nothing changes and it is shown again', async () => {
    const { act, shop } = await changed()
    const first = await act('undo', { dryRun: true })
    await act('undo', { shown: first.shown })
    expect(shop.get('a.txt')).toBe('two\n')
    const again = await act('undo', { shown: first.shown })
    expect(again).toMatchObject({
      ok: false,
      files: [{ path: 'a.txt', action: 'restored' }],
      message: expect.stringContaining('something else now than what was shown') as string,
    })
    expect(again.diff).toContain('-two\n+one\n')
    expect(shop.get('a.txt')).toBe('two\n')
    expect(await act('undo', { shown: again.shown })).toMatchObject({ ok: true })
    expect(shop.get('a.txt')).toBe('one\n')
    expect(await act('redo', { shown: first.shown })).toMatchObject({ ok: false })
    expect(shop.get('a.txt')).toBe('one\n')
  })

  it('refuse in words if a file has changed since it was shown', async () => {
    const { act, shop } = await changed()
    const { shown } = await act('undo', { dryRun: true })
    writeFileSync(join(shop.root, 'a.txt'), 'typed\n')
    expect(await act('undo', { shown })).toMatchObject({ ok: false, drifted: ['a.txt'] })
    expect(shop.get('a.txt')).toBe('typed\n')
  })

  it('show the same as a command in a prompt', async () => {
    const { editor, sessionId, shop } = await changed()
    await editor.prompt(sessionId, '/undo')
    expect(editor.asked.at(-1)?.toolCall.content).toContainEqual({
      type: 'diff',
      path: join(shop.root, 'a.txt'),
      oldText: 'three\n',
      newText: 'two\n',
    })
    expect(shop.get('a.txt')).toBe('two\n')
  })
})
