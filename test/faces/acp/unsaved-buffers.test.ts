import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import type { Shop } from '../cli/command-line.ts'
import { makeScripted, openEditor } from './open-editor.ts'
import type { Editor, EditorWish } from './open-editor.ts'

const BOTH = { fs: { readTextFile: true, writeTextFile: true } }

/** The buffers of an editor: those that are not here are as on disk. */
interface Buffers {
  readonly texts: Map<string, string>
  readonly written: string[]
}

interface FileParams {
  readonly path: string
  readonly content: string
}

/** How an editor does what it is told to write. */
interface WritingWish {
  /** Whether it saves it, as Zed does. */
  readonly saves?: boolean
  /** What it answers: the page of the protocol has null, its schema an object. */
  readonly wrote?: JsonObject | null
}

/** An editor with buffers. */
function openWith(
  shop: Shop,
  buffers: Buffers,
  { saves = false, wrote = {}, ...wish }: EditorWish & WritingWish = {},
): Promise<Editor> {
  return openEditor(shop, {
    capabilities: BOTH,
    words: ['--model', `script:${join(shop.stateDir, '..', 'script.json')}`, '--preset', 'edits'],
    answers: {
      'fs/read_text_file': ({ path }: FileParams) => ({
        content: buffers.texts.get(path) ?? readFileSync(path, 'utf8'),
      }),
      'fs/write_text_file': ({ path, content }: FileParams) => {
        buffers.written.push(path)
        if (saves) writeFileSync(path, content)
        if (saves) buffers.texts.delete(path)
        else buffers.texts.set(path, content)
        return wrote
      },
    },
    ...wish,
  })
}

const read = { text: '', calls: [{ id: 'r', name: 'read_file', args: { path: 'a.txt' } }] }
const edit = {
  text: '',
  calls: [{ id: 'e', name: 'edit_file', args: { path: 'a.txt', old_text: 'typed', new_text: 'EDITED' } }],
}

const fresh = (): Buffers => ({ texts: new Map(), written: [] })

/** The results of the calls so far. */
const outputs = (editor: Editor): readonly unknown[] =>
  editor.ofKind('tool_call_update').flatMap(({ rawOutput }) => (rawOutput === undefined ? [] : [rawOutput]))

describe('a file that is open in the editor', () => {
  it('is read and edited as ever if its buffer is saved, whatever its line ends and mark', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': '\uFEFFtyped\r\n' })
    const buffers = fresh()
    buffers.texts.set(join(shop.root, 'a.txt'), 'typed\n')
    const editor = await openWith(shop, buffers)
    await editor.prompt(await editor.begin(), 'go')
    expect(buffers.written).toEqual([])
    expect(shop.get('a.txt')).toBe('\uFEFFEDITED\r\n')
    expect(outputs(editor).at(-1)).not.toHaveProperty('landed')
  })

  it('is read as the editor has it, and edited there, after the commit', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    const place = join(shop.root, 'a.txt')
    buffers.texts.set(place, 'saved\ntyped\n')
    const editor = await openWith(shop, buffers)
    const session = await editor.begin()
    await editor.prompt(session, 'go')
    expect(JSON.stringify(outputs(editor)[0])).toContain('typed')
    expect(outputs(editor)[1]).toMatchObject({ landed: 'editor' })
    expect(buffers.texts.get(place)).toBe('saved\nEDITED\n')
    expect(shop.get('a.txt')).toBe('saved\n')
    // Undo and redo go the same way.
    const undone = await editor.agent.request('_tongs/undo', { sessionId: session })
    expect(undone).toMatchObject({ ok: true, files: [{ path: 'a.txt', action: 'restored' }] })
    expect(buffers.texts.get(place)).toBe('saved\ntyped\n')
    await editor.agent.request('_tongs/redo', { sessionId: session })
    expect(buffers.texts.get(place)).toBe('saved\nEDITED\n')
    expect(shop.get('a.txt')).toBe('saved\n')
  })

  it('is edited and undone there if the editor answers a write with null', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    const place = join(shop.root, 'a.txt')
    buffers.texts.set(place, 'saved\ntyped\n')
    const editor = await openWith(shop, buffers, { wrote: null })
    const session = await editor.begin()
    await editor.prompt(session, 'go')
    expect(outputs(editor)[1]).toMatchObject({ landed: 'editor' })
    const undone = await editor.agent.request('_tongs/undo', { sessionId: session })
    expect(undone).toMatchObject({ ok: true, files: [{ path: 'a.txt', action: 'restored' }] })
    expect(buffers.texts.get(place)).toBe('saved\ntyped\n')
  })

  it.each([[{}], [{ content: 5 }], [{ content: null }]])(
    'is read and edited on disk if the editor gives no text for it: %j',
    async (answer) => {
      const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'typed\n' })
      const editor = await openWith(shop, fresh(), { answers: { 'fs/read_text_file': () => answer } })
      await editor.prompt(await editor.begin(), 'go')
      expect(outputs(editor)).toMatchObject([{ content: 'typed\n' }, { path: 'a.txt' }])
      expect(shop.get('a.txt')).toBe('EDITED\n')
    },
  )

  it('is undone on disk if the editor has saved what it was given', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    buffers.texts.set(join(shop.root, 'a.txt'), 'saved\ntyped\n')
    const editor = await openWith(shop, buffers, { saves: true })
    const session = await editor.begin()
    await editor.prompt(session, 'go')
    expect(shop.get('a.txt')).toBe('saved\nEDITED\n')
    await editor.agent.request('_tongs/undo', { sessionId: session })
    expect(shop.get('a.txt')).toBe('saved\ntyped\n')
    expect(buffers.written).toHaveLength(1)
  })

  it('refuses an undo if something was typed since', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    const place = join(shop.root, 'a.txt')
    buffers.texts.set(place, 'saved\ntyped\n')
    const editor = await openWith(shop, buffers)
    const session = await editor.begin()
    await editor.prompt(session, 'go')
    buffers.texts.set(place, 'saved\nEDITED\nand more\n')
    for (const dryRun of [true, false]) {
      const undone = await editor.agent.request('_tongs/undo', { sessionId: session, dryRun })
      expect(undone).toMatchObject({ ok: false, drifted: ['a.txt'] })
    }
    expect(buffers.texts.get(place)).toBe('saved\nEDITED\nand more\n')
  })

  it.for([2, 3])('rejects an edit if the buffer changes before it is asked for time %i', async (time) => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    const place = join(shop.root, 'a.txt')
    buffers.texts.set(place, 'saved\ntyped\n')
    const { promise: hasRead, resolve: noteRead } = Promise.withResolvers<void>()
    let reads = 0
    const editor = await openWith(shop, buffers, {
      answers: {
        'fs/read_text_file': ({ path }: FileParams) => {
          reads++
          if (reads >= time) buffers.texts.set(place, 'other\ntyped\n')
          noteRead()
          return { content: buffers.texts.get(path) ?? '' }
        },
      },
    })
    await editor.prompt(await editor.begin(), 'go')
    await hasRead
    expect(outputs(editor)[1]).toMatchObject({ code: 'stale_file' })
    expect(buffers.texts.get(place)).toBe('other\ntyped\n')
  })

  it('rejects an edit on disk if a person begins to type before it is committed', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'typed\n' })
    let reads = 0
    const editor = await openWith(shop, fresh(), {
      answers: { 'fs/read_text_file': () => ({ content: ++reads < 3 ? 'typed\n' : 'typed more\n' }) },
    })
    await editor.prompt(await editor.begin(), 'go')
    expect(outputs(editor)[1]).toMatchObject({ code: 'stale_file' })
    expect(shop.get('a.txt')).toBe('typed\n')
  })

  it('takes the edit back if the editor refuses it, and says so', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    const place = join(shop.root, 'a.txt')
    buffers.texts.set(place, 'saved\ntyped\n')
    const editor = await openWith(shop, buffers, {
      answers: {
        'fs/read_text_file': () => ({ content: 'saved\ntyped\n' }),
        'fs/write_text_file': () => {
          throw new Error('the buffer is read-only')
        },
      },
    })
    const session = await editor.begin()
    await editor.prompt(session, 'go')
    expect(outputs(editor)[1]).toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining('The editor did not change a.txt') as string,
    })
    expect(shop.get('a.txt')).toBe('saved\n')
    expect((await shop.tongs(['recover', '--json'])).out).toContain('"batches":[]')
  })

  it('is neither removed nor moved, nor edited by an editor that takes no changes', async () => {
    const remove = { text: '', calls: [{ id: 'd', name: 'delete_path', args: { path: 'a.txt' } }] }
    const shop = makeScripted([read, edit, remove, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    buffers.texts.set(join(shop.root, 'a.txt'), 'saved\ntyped\n')
    const editor = await openWith(shop, buffers, { capabilities: { fs: { readTextFile: true } } })
    await editor.prompt(await editor.begin(), 'go')
    for (const output of outputs(editor).slice(1))
      expect(output).toMatchObject({ code: 'execution_failed', details: { reason: 'unsaved' } })
    expect(shop.get('a.txt')).toBe('saved\n')
  })

  it('is not seen by commands and searches until it is saved', async () => {
    const cat = { text: '', calls: [{ id: 'c', name: 'run_shell', args: { cmd: ['cat', 'a.txt'] } }] }
    const find = { text: '', calls: [{ id: 's', name: 'search', args: { query: 'typed' } }] }
    const shop = makeScripted([cat, find, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    buffers.texts.set(join(shop.root, 'a.txt'), 'saved\ntyped\n')
    const editor = await openWith(shop, buffers)
    await editor.prompt(await editor.begin(), 'go')
    expect(outputs(editor)[0]).toMatchObject({ stdout: 'saved\n' })
    expect(outputs(editor)[1]).toMatchObject({ matches: [] })
  })

  it('is found by the name that the editor has for it, behind a link', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const link = join(shop.stateDir, '..', 'link')
    symlinkSync(shop.root, link)
    const buffers = fresh()
    buffers.texts.set(join(link, 'a.txt'), 'saved\ntyped\n')
    const editor = await openWith(shop, buffers)
    await editor.prompt(await editor.begin({ cwd: link }), 'go')
    expect(buffers.written).toEqual([join(link, 'a.txt')])
  })

  it('is asked about with the diff of its buffer', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    const place = join(shop.root, 'a.txt')
    buffers.texts.set(place, 'saved\ntyped\n')
    const words = ['--model', `script:${join(shop.stateDir, '..', 'script.json')}`, '--preset', 'ask']
    const editor = await openWith(shop, buffers, { words })
    await editor.prompt(await editor.begin(), 'go')
    expect(editor.asked).toHaveLength(1)
    expect(editor.asked[0]?.toolCall.content).toContainEqual({
      type: 'diff',
      path: place,
      oldText: 'saved\ntyped\n',
      newText: 'saved\nEDITED\n',
    })
    expect(buffers.texts.get(place)).toBe('saved\nEDITED\n')
  })

  it('is edited twice in one message, and with other files, all or none', async () => {
    const calls = [
      { id: 'e', name: 'edit_file', args: { path: 'a.txt', old: 'typed', new: 'ONE' } },
      { id: 'f', name: 'edit_file', args: { path: 'a.txt', old: 'ONE', new: 'TWO' } },
      { id: 'g', name: 'write_file', args: { path: 'b.txt', content: 'beside\n' } },
    ]
    const shop = makeScripted([read, { text: '', calls }, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const buffers = fresh()
    const place = join(shop.root, 'a.txt')
    buffers.texts.set(place, 'saved\ntyped\n')
    const editor = await openWith(shop, buffers)
    const session = await editor.begin()
    await editor.prompt(session, 'go')
    expect(outputs(editor).slice(1)).toMatchObject([{ landed: 'editor' }, { landed: 'editor' }, {}])
    expect(buffers.texts.get(place)).toBe('saved\nTWO\n')
    expect(shop.get('b.txt')).toBe('beside\n')
    await editor.agent.request('_tongs/undo', { sessionId: session, turn: true })
    expect(buffers.texts.get(place)).toBe('saved\ntyped\n')
    expect(shop.get('b.txt')).toBeNull()
  })

  it('is in doubt if the agent is killed while the editor writes', async () => {
    const shop = makeScripted([read, edit, { text: 'Done.' }], { 'a.txt': 'saved\n' })
    const { promise: isWriting, resolve: noteWriting } = Promise.withResolvers<void>()
    const editor = await openWith(shop, fresh(), {
      answers: {
        'fs/read_text_file': () => ({ content: 'saved\ntyped\n' }),
        'fs/write_text_file': () => {
          noteWriting()
          return new Promise(() => undefined)
        },
      },
    })
    const lost = editor.prompt(await editor.begin(), 'go').catch(() => null)
    await isWriting
    await editor.end('SIGKILL')
    await lost
    const { out } = await shop.tongs(['recover', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      batches: [{ calls: [{ name: 'edit_file', status: 'in_doubt' }] }],
    })
    expect(shop.get('a.txt')).toBe('saved\n')
  })
})
