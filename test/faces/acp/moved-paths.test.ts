import { mkdirSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Shop } from '../cli/command-line.ts'
import { makeScripted, openEditor } from './open-editor.ts'
import type { Editor } from './open-editor.ts'

interface FileParams {
  readonly path: string
  readonly content: string
}

interface Answered {
  readonly ok: boolean
  readonly content?: string
  readonly error?: { readonly code: string; readonly message: string }
}

/** Long enough for a change of a name to leave a time of its own. */
const A_TICK_MS = 60

/** Exchanges two names, as another process can at any time. */
function exchange(one: string, other: string): void {
  renameSync(one, `${one}.held`)
  renameSync(other, one)
  renameSync(`${one}.held`, other)
}

/** A root with `d/f` in it, and a link `l` to a folder outside that has an `f` too. */
function makePlace(): Shop & { readonly outside: string } {
  const shop = makeScripted([], { 'd/f': 'inside\n', '.env': 'TOKEN=abc\n' })
  const outside = join(shop.stateDir, '..', 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'f'), 'OUTSIDE\n')
  symlinkSync(outside, join(shop.root, 'l'))
  symlinkSync('../.env', join(shop.root, 'd', 'e'))
  return { ...shop, outside }
}

/** An editor that reads and writes the paths it is given, with something going on around that. */
async function openAt(
  shop: Pick<Shop, 'root' | 'stateDir' | 'env'>,
  during: { readonly read?: (path: string) => string; readonly write?: (params: FileParams) => void },
): Promise<{ readonly editor: Editor; readonly call: (name: string, args: object) => Promise<Answered> }> {
  const { read = (path) => readFileSync(path, 'utf8'), write = () => undefined } = during
  const editor = await openEditor(shop, {
    words: ['--preset', 'edits'],
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    answers: {
      'fs/read_text_file': ({ path }: FileParams) => ({ content: read(path) }),
      'fs/write_text_file': (params: FileParams) => {
        write(params)
        return {}
      },
    },
  })
  const sessionId = await editor.begin({ _meta: { tongs: { model: 'optional' } } })
  await sleep(A_TICK_MS)
  return {
    editor,
    call: (name, args) => editor.agent.request<Answered>('_tongs/call', { sessionId, name, args }),
  }
}

/** What an editor reads while two names are exchanged, and back again before it answers. */
const readExchanged =
  (one: string, other: string) =>
  (path: string): string => {
    exchange(one, other)
    try {
      return readFileSync(path, 'utf8')
    } finally {
      exchange(one, other)
    }
  }

describe('the text that an editor gives for a path', () => {
  it.for([
    ['a folder and a link', 'd', 'l', 'OUTSIDE'],
    ['the file and a link to a denied one', 'd/f', 'd/e', 'TOKEN'],
    ['the root and another folder', '.', '../decoy', 'DECOY'],
  ] as const)('is refused if %s were exchanged meanwhile', async ([, oneName, otherName, secret]) => {
    const shop = makePlace()
    mkdirSync(join(shop.root, '../decoy/d'), { recursive: true })
    writeFileSync(join(shop.root, '../decoy/d/f'), 'DECOY\n')
    const [one, other] = [resolve(shop.root, oneName), join(shop.root, otherName)] as const
    let texts = 0
    const read = (path: string): string => {
      texts++
      return readExchanged(one, other)(path)
    }
    const { call } = await openAt(shop, { read })
    for (let times = 0; times < 3; times++) {
      const answered = await call('read_file', { path: 'd/f' })
      expect(JSON.stringify(answered)).not.toContain(secret)
      expect(answered.error?.message).toContain('may be that of another one')
      const edited = await call('edit_file', { path: 'd/f', old: secret, new: 'X' })
      expect(edited.ok).toBe(false)
    }
    expect(texts).toBeGreaterThan(3)
    expect(readFileSync(join(shop.outside, 'f'), 'utf8')).toBe('OUTSIDE\n')
  })

  it('is refused if names are exchanged so quickly that their times do not show it', async () => {
    const shop = makePlace()
    const [one, other] = [join(shop.root, 'd'), join(shop.root, 'l')]
    const { call } = await openAt(shop, { read: readExchanged(one, other) })
    const over = new AbortController()
    const swapping = (async () => {
      while (!over.signal.aborted) {
        exchange(one, other)
        exchange(one, other)
        await sleep(1)
      }
    })()
    for (let times = 0; times < 25; times++)
      expect(JSON.stringify(await call('read_file', { path: 'd/f' }))).not.toContain('OUTSIDE')
    over.abort()
    await swapping
  })

  it('stays refused if the editor keeps what it once read elsewhere, until it is as on disk', async () => {
    const shop = makePlace()
    const kept = new Map<string, string>()
    const first = readExchanged(join(shop.root, 'd'), join(shop.root, 'l'))
    const read = (path: string): string => {
      const text = kept.get(path) ?? first(path)
      kept.set(path, text)
      return text
    }
    const { call } = await openAt(shop, { read })
    for (let times = 0; times < 3; times++) {
      const answered = await call('read_file', { path: 'd/f' })
      expect(answered.ok).toBe(false)
      await sleep(A_TICK_MS)
    }
    const place = [...kept.keys()][0] ?? ''
    kept.set(place, 'inside\n')
    expect(await call('read_file', { path: 'd/f' })).toMatchObject({ ok: true })
    kept.set(place, 'inside\nand typed\n')
    expect((await call('read_file', { path: 'd/f' })).content).toContain('and typed')
  })

  // The folder above the one in which they do has to stay as it is, so it is none that others use.
  it.for([
    ['d', '.', 'd/f'],
    ['', '.', 'd/f'],
    ['..', 'd', 'f'],
  ] as const)('is taken while other names come and go in the folder %j', async ([folder, at, path]) => {
    const shop = makePlace()
    const root = join(shop.root, at)
    let names = 0
    const { call } = await openAt(
      { ...shop, root },
      {
        read: () => {
          writeFileSync(join(root, folder, `new-${names++}`), '')
          return 'inside\nand typed\n'
        },
      },
    )
    expect((await call('read_file', { path })).content).toContain('and typed')
  })

  it('is taken right after the file was changed', async () => {
    const shop = makePlace()
    const { call } = await openAt(shop, { read: () => 'inside\nand typed\n' })
    const file = join(shop.root, 'd', 'f')
    utimesSync(file, 0, 0)
    writeFileSync(join(shop.root, 'd', 'new'), '')
    expect((await call('read_file', { path: 'd/f' })).content).toContain('and typed')
  })
})

describe('a change that goes through the editor', () => {
  it('is in doubt if a folder above was exchanged while the editor wrote', async () => {
    const shop = makePlace()
    const { call } = await openAt(shop, {
      read: () => 'inside\nand typed\n',
      write: () => {
        exchange(join(shop.root, 'd'), join(shop.root, 'l'))
        exchange(join(shop.root, 'd'), join(shop.root, 'l'))
      },
    })
    await call('read_file', { path: 'd/f' })
    const edited = await call('edit_file', { path: 'd/f', old: 'typed', new: 'EDITED' })
    expect(edited).toMatchObject({ ok: false, error: { code: 'in_doubt' } })
    expect(edited.error?.message).toContain('a folder above it was changed while the editor wrote')
  })

  it('is not begun if another file is there by then', async () => {
    const shop = makePlace()
    let reads = 0
    const written: string[] = []
    const { call } = await openAt(shop, {
      read: () => {
        // After the last look before the commit, at the end of the answer.
        reads++
        if (reads === 3) queueMicrotask(() => exchange(join(shop.root, 'd'), join(shop.root, 'l')))
        return 'inside\nand typed\n'
      },
      write: ({ path }) => void written.push(path),
    })
    await call('read_file', { path: 'd/f' })
    const edited = await call('edit_file', { path: 'd/f', old: 'typed', new: 'EDITED' })
    expect(edited.ok).toBe(false)
    expect(written).toEqual([])
  })

  it('is made if the editor saves by replacing the file', async () => {
    const shop = makePlace()
    let text: string | null = 'inside\nand typed\n'
    const { call } = await openAt(shop, {
      read: (path) => text ?? readFileSync(path, 'utf8'),
      write: ({ path, content }) => {
        writeFileSync(`${path}~`, content)
        renameSync(`${path}~`, path)
        text = null
      },
    })
    await call('read_file', { path: 'd/f' })
    const edited = await call('edit_file', { path: 'd/f', old: 'typed', new: 'EDITED' })
    expect(edited).toMatchObject({ ok: true })
    expect(shop.get('d/f')).toBe('inside\nand EDITED\n')
  })
})
