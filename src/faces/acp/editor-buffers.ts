import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HeldText, OpenBuffers, Written } from '../../workspace/buffers/open-buffers.ts'
import { followTrail, hasHeld, isSettled } from '../../host/root/path-trail.ts'
import type { PathTrail } from '../../host/root/path-trail.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { relativeTo } from '../../host/root/rel-path.ts'
import type { EditorClient, EditorFile } from './editor-client.ts'

/** An editor that does not answer for so long is not waited for. */
const PATIENCE_MS = 10_000
/** More files than this are not asked about for one call; the others are read from disk. */
const MOST_FILES = 100
/** How long, and how often, to wait until a file that was just changed could be seen to change again. */
const SETTLING_MS = 25
const SETTLING_TIMES = 4

/** Where the root is, and what the editor calls it: links may lead to it. */
export interface EditorRoot {
  readonly root: string
  readonly cwd: string
}

/** The buffers of an editor that offers its files. */
export function openEditorBuffers(client: () => EditorClient, { root, cwd }: EditorRoot): OpenBuffers {
  const files = new Map<string, EditorFile & HeldText>()
  /** Places whose path may have led elsewhere while the editor was asked: it may have kept what it found there. */
  const moved = new Set<string>()
  const toEditor = (place: string): string => {
    const rel = relativeTo(root, place)
    return rel === null ? place : join(cwd, rel)
  }

  async function ask(place: string): Promise<void> {
    const editor = client()
    const path = toEditor(place)
    const trail = await settledTrail(path)
    try {
      const file = await within(PATIENCE_MS, editor.readFile(path))
      if (trail === null || !hasHeld(trail)) moved.add(place)
      files.set(place, { ...file, file: moved.has(place) ? null : (trail?.end ?? null) })
    } catch (thrown) {
      if (trail === null || !hasHeld(trail)) moved.add(place)
      // A file that the editor cannot give has no buffer there.
      files.delete(place)
      if (thrown instanceof SlowEditor)
        await editor.notice(
          'warning',
          `The editor does not answer about ${showPath(place)}; it is read from disk.`,
        )
    }
  }

  async function write(place: string, text: string): Promise<Written> {
    const path = toEditor(place)
    const trail = await settledTrail(path)
    if (trail === null || trail.end !== files.get(place)?.file)
      return { is: 'refused', why: 'another file is in its place' }
    try {
      await within(PATIENCE_MS, client().writeFile(path, text))
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      return { is: thrown instanceof SlowEditor ? 'unknown' : 'refused', why }
    }
    if (!hasHeld(trail, 'any')) {
      moved.add(place)
      return { is: 'unknown', why: 'a folder above it was changed while the editor wrote' }
    }
    files.set(place, { text, lock: null, file: followTrail(path)?.end ?? null })
    return { is: 'written' }
  }

  return {
    refresh: async (places) =>
      void (await Promise.all([...new Set(places)].slice(0, MOST_FILES).map((place) => ask(place)))),
    held: (place) => files.get(place) ?? null,
    agree: (place) => void moved.delete(place),
    lockOf: (place) => files.get(place)?.lock ?? null,
    readOnly: () => (client().can.writesFiles ? null : 'and the editor takes no changes'),
    write,
  }
}

/** The way that a path takes, once a change of it could be seen; null if the path leads nowhere. */
async function settledTrail(path: string): Promise<PathTrail | null> {
  let trail = followTrail(path)
  for (let times = 0; times < SETTLING_TIMES && trail !== null && !isSettled(trail); times++) {
    await sleep(SETTLING_MS)
    trail = followTrail(path)
  }
  return trail
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
