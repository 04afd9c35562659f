import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { makeScripted, openEditor, scriptOf } from './open-editor.ts'

describe('a file that is open in the editor', () => {
  it('is neither edited nor removed if it is read-only there, though it is saved; nor is it undone', async () => {
    const shop = makeScripted([], { 'a.txt': 'typed\n' })
    let lock: string | null = 'Buffer a.txt is read-only in Emacs; C-x C-q makes it writable'
    const editor = await openEditor(shop, {
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      words: ['--model', `script:${scriptOf(shop)}`, '--preset', 'edits'],
      answers: {
        'fs/read_text_file': ({ path }: { path: string }) => ({
          content: readFileSync(path, 'utf8'),
          ...(lock === null ? {} : { _meta: { tongs: { readOnly: lock } } }),
        }),
      },
    })
    const session = await editor.begin()
    const call = (name: string, args: object) =>
      editor.agent.request<ToolResult>('_tongs/call', { sessionId: session, name, args })
    await call('read_file', { path: 'a.txt' })
    for (const [name, args] of [
      ['edit_file', { path: 'a.txt', old: 'typed', new: 'EDITED' }],
      ['write_file', { path: 'a.txt', content: 'other\n' }],
      ['delete_path', { path: 'a.txt' }],
    ] as const)
      expect(await call(name, args)).toMatchObject({
        error: {
          code: 'execution_failed',
          message: expect.stringContaining('C-x C-q makes it writable.') as string,
          details: { reason: 'read_only' },
        },
      })
    expect(shop.get('a.txt')).toBe('typed\n')
    lock = null
    expect(await call('write_file', { path: 'a.txt', content: 'other\n' })).toMatchObject({ ok: true })
    lock = 'It is locked again'
    expect(await editor.agent.request('_tongs/undo', { sessionId: session })).toMatchObject({
      ok: false,
      message: expect.stringContaining('read-only in the editor (It is locked again)') as string,
    })
    expect(shop.get('a.txt')).toBe('other\n')
  })

  it('is not changed by what a command made of it either, and the layer of the command is kept', async () => {
    const shop = makeScripted([], { 'a.txt': 'typed\n', 'b.txt': 'free\n' })
    const editor = await openEditor(shop, {
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      words: ['--model', `script:${scriptOf(shop)}`, '--preset', 'auto'],
      answers: {
        'fs/read_text_file': ({ path }: { path: string }) => ({
          content: readFileSync(path, 'utf8'),
          ...(path.endsWith('a.txt') ? { _meta: { tongs: { readOnly: 'C-x C-q makes it writable' } } } : {}),
        }),
      },
    })
    const session = await editor.begin()
    const run = (command: string) =>
      editor.agent.request<ToolResult>('_tongs/call', {
        sessionId: session,
        name: 'run_shell',
        args: { cmd: ['sh', '-c', command] },
      })
    expect(await run('echo new > a.txt; echo new > b.txt')).toMatchObject({
      ok: false,
      error: {
        code: 'stale_file',
        message: 'Nothing was landed: a.txt is read-only in the editor (C-x C-q makes it writable).',
        details: { file: 'a.txt', layer: expect.any(String) as string },
      },
    })
    expect([shop.get('a.txt'), shop.get('b.txt')]).toEqual(['typed\n', 'free\n'])
    expect(await run('echo new > b.txt')).toMatchObject({ ok: true })
    expect(shop.get('b.txt')).toBe('new\n')
  })
})
