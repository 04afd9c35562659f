import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Shop } from '../cli/command-line.ts'
import { agree, makeScripted, openEditor } from './open-editor.ts'

interface FileParams {
  readonly path: string
  readonly content: string
}

interface Answered {
  readonly ok: boolean
  readonly execution: { readonly id: string }
  readonly error?: { readonly code: string; readonly message: string; readonly details: object }
}

/** An editor with unsaved texts, by name; `write` decides what becomes of a write, and changes nothing by itself. */
async function openTyping(
  shop: Shop,
  texts: Readonly<Record<string, string>>,
  write?: (params: FileParams, buffers: Map<string, string>) => unknown,
) {
  const buffers = new Map(Object.entries(texts).map(([name, text]) => [join(shop.root, name), text]))
  const editor = await openEditor(shop, {
    words: ['--preset', 'edits'],
    ask: agree,
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    answers: {
      'fs/read_text_file': ({ path }: FileParams) => ({
        content: buffers.get(path) ?? readFileSync(path, 'utf8'),
      }),
      'fs/write_text_file': (params: FileParams) => {
        if (write !== undefined) return write(params, buffers)
        buffers.set(params.path, params.content)
        return {}
      },
    },
  })
  const sessionId = await editor.begin({ _meta: { tongs: { model: 'optional' } } })
  return {
    editor,
    textOf: (name: string) => buffers.get(join(shop.root, name)) ?? null,
    type: (name: string, text: string | null) =>
      text === null ? buffers.delete(join(shop.root, name)) : buffers.set(join(shop.root, name), text),
    call: (name: string, args: object) =>
      editor.agent.request<Answered>('_tongs/call', { sessionId, name, args }),
    undo: (more: object = {}) =>
      editor.agent.request<{ readonly ok: boolean; readonly calls: readonly string[] }>('_tongs/undo', {
        sessionId,
        ...more,
      }),
  }
}

const FILES = { f: 'f saved\n', g: 'g saved\n' }
const UNSAVED = { f: 'f saved\nf typed\n', g: 'g saved\ng typed\n' }
const PATCH = { patch: 'LP1\nF f\nR\nf typed\n.\nf EDITED\n.\nF g\nR\ng typed\n.\ng EDITED\n.\nEND\n' }

/** Reads both, and edits both. */
async function patchBoth({ call }: Awaited<ReturnType<typeof openTyping>>): Promise<Answered> {
  await call('read_file', { path: 'f' })
  await call('read_file', { path: 'g' })
  return call('apply_patch', PATCH)
}

describe('an edit of two unsaved buffers of which the second is refused', () => {
  const refuseG =
    (meanwhile: (buffers: Map<string, string>, f: string) => void) =>
    ({ path, content }: FileParams, buffers: Map<string, string>): object => {
      if (path.endsWith('/g')) {
        meanwhile(buffers, path.replace(/g$/, 'f'))
        throw new Error('it is locked')
      }
      buffers.set(path, content)
      return {}
    }

  it('is taken back whole if nobody typed', async () => {
    const shop = makeScripted([], FILES)
    const typing = await openTyping(
      shop,
      UNSAVED,
      refuseG(() => undefined),
    )
    const patched = await patchBoth(typing)
    expect(patched.error?.message).toContain('All files of this call are as before')
    expect([typing.textOf('f'), typing.textOf('g')]).toEqual([UNSAVED.f, UNSAVED.g])
  })

  it('leaves what a person typed meanwhile, and names the file', async () => {
    const shop = makeScripted([], FILES)
    const typing = await openTyping(
      shop,
      UNSAVED,
      refuseG((buffers, f) => buffers.set(f, `${buffers.get(f) ?? ''}TYPED MEANWHILE\n`)),
    )
    const patched = await patchBoth(typing)
    expect(typing.textOf('f')).toBe('f saved\nf EDITED\nTYPED MEANWHILE\n')
    expect(patched.error).toMatchObject({ code: 'in_doubt', details: { files: ['f'] } })
    expect(patched.error?.message).not.toContain('as before')
  })

  it('claims nothing if the editor changed the text and called it an error', async () => {
    const shop = makeScripted([], FILES)
    const typing = await openTyping(shop, UNSAVED, ({ path, content }, buffers) => {
      buffers.set(path, content)
      if (path.endsWith('/g')) throw new Error('it could not be saved')
      return {}
    })
    const patched = await patchBoth(typing)
    expect(patched.error).toMatchObject({ code: 'in_doubt', details: { files: ['g'] } })
  })
})

describe('an edit through an editor that does not answer in time', () => {
  it('is in doubt, because the editor may still make it', { timeout: 120_000 }, async () => {
    const shop = makeScripted([], FILES)
    const { promise: isSlow, resolve: goOn } = Promise.withResolvers<void>()
    const typing = await openTyping(shop, UNSAVED, async ({ path, content }, buffers) => {
      await isSlow
      buffers.set(path, content)
      return {}
    })
    await typing.call('read_file', { path: 'g' })
    const edited = await typing.call('edit_file', { path: 'g', old: 'g typed', new: 'SLOW' })
    goOn()
    expect(edited.error).toMatchObject({ code: 'in_doubt', details: { files: ['g'] } })
    expect(edited.error?.message).toContain('does not answer')
    expect(edited.error?.message).not.toContain('as before')
  })
})

describe('undo with a merge of an edit in an unsaved buffer', () => {
  it('takes the lines of the call out of the buffer, and keeps what was typed', async () => {
    const shop = makeScripted([], { k: 'a\nb\nc\n' })
    const typing = await openTyping(shop, { k: 'one\nb\nc\n' })
    await typing.call('read_file', { path: 'k' })
    expect(await typing.call('edit_file', { path: 'k', old: 'one', new: 'ONE' })).toMatchObject({ ok: true })
    typing.type('k', 'ONE\nb\nc\nMORE\n')
    expect(await typing.undo({ merge: true, dryRun: true })).toMatchObject({
      ok: true,
      files: [{ path: 'k', action: 'merged' }],
    })
    expect(await typing.undo({ merge: true })).toMatchObject({
      ok: true,
      files: [{ path: 'k', action: 'merged' }],
    })
    expect(typing.textOf('k')).toBe('one\nb\nc\nMORE\n')
    expect(shop.get('k')).toBe('a\nb\nc\n')
  })

  it('refuses lines that were typed over, and can be asked again', async () => {
    const shop = makeScripted([], { k: 'a\nb\nc\n' })
    const typing = await openTyping(shop, { k: 'one\nb\nc\n' })
    await typing.call('read_file', { path: 'k' })
    await typing.call('edit_file', { path: 'k', old: 'one', new: 'ONE' })
    typing.type('k', 'ONE and only\nb\nc\n')
    expect(await typing.undo({ merge: true })).toMatchObject({ ok: false, drifted: ['k'] })
    typing.type('k', 'ONE\nb\nc\n')
    expect(await typing.undo()).toMatchObject({ ok: true })
    expect(typing.textOf('k')).toBe('one\nb\nc\n')
  })
})

describe('a command that changes a file with unsaved text', () => {
  const change = (script: string) => ({ cmd: ['sh', '-c', script] })

  it.for([
    'echo more >> f; echo new > other',
    'rm f; echo new > other',
    'mv f moved',
    'echo x > f2; mv f2 f',
  ])('is refused before anything of it is committed: %s', async (script) => {
    const shop = makeScripted([], FILES)
    const typing = await openTyping(shop, { f: UNSAVED.f })
    const ran = await typing.call('run_shell', change(script))
    expect(ran.error).toMatchObject({ code: 'stale_file' })
    expect(ran.error?.message).toContain('has unsaved text in the editor')
    expect([shop.get('f'), shop.get('other'), shop.get('moved')]).toEqual([FILES.f, null, null])
    expect((await shop.tongs(['recover', '--json'])).out).not.toContain('in_doubt')
  })

  it('lands if the text is saved, or is that of another file', async () => {
    const shop = makeScripted([], FILES)
    const typing = await openTyping(shop, { g: UNSAVED.g, f: FILES.f })
    expect(await typing.call('run_shell', change('echo more >> f'))).toMatchObject({ ok: true })
    expect(shop.get('f')).toBe('f saved\nmore\n')
  })
})
