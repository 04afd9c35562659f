import { join } from 'node:path'
import type { OpenBuffers } from '../../workspace/buffers/open-buffers.ts'
import { relativeTo } from '../../host/root/rel-path.ts'
import type { EditorClient } from './editor-client.ts'

/** An editor that does not answer for so long is not waited for. */
const PATIENCE_MS = 10_000
/** More files than this are not asked about for one call; the others are read from disk. */
const MOST_FILES = 100

/** Where the root is, and what the editor calls it: links may lead to it. */
export interface EditorRoot {
  readonly root: string
  readonly cwd: string
}

/** The buffers of an editor that offers its files. */
export function openEditorBuffers(client: () => EditorClient, { root, cwd }: EditorRoot): OpenBuffers {
  const texts = new Map<string, string>()
  const toEditor = (place: string): string => {
    const rel = relativeTo(root, place)
    return rel === null ? place : join(cwd, rel)
  }

  async function ask(place: string): Promise<void> {
    const editor = client()
    try {
      texts.set(place, await within(PATIENCE_MS, editor.readFile(toEditor(place))))
    } catch (thrown) {
      // A file that the editor cannot give has no buffer there.
      texts.delete(place)
      if (thrown instanceof SlowEditor)
        await editor.notice('warning', `The editor does not answer about ${place}; it is read from disk.`)
    }
  }

  return {
    refresh: async (places) =>
      void (await Promise.all([...new Set(places)].slice(0, MOST_FILES).map((place) => ask(place)))),
    text: (place) => texts.get(place) ?? null,
    readOnly: () => (client().can.writesFiles ? null : 'and the editor takes no changes'),
    async write(place, text) {
      await within(PATIENCE_MS, client().writeFile(toEditor(place), text))
      texts.set(place, text)
    },
  }
}

class SlowEditor extends Error {}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new SlowEditor('it does not answer')), ms)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
