import { join } from 'node:path'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { Landing } from '../landing/landing-outcome.ts'
import type { OpenBuffers, Written } from './open-buffers.ts'
import { isSameText } from './unsaved.ts'

/** A change of a file with unsaved text. */
export interface InEditor {
  readonly change: FileChange
  /** The digest of that text; null if it may be that of another file. */
  readonly holds: Digest | null
  readonly bytes: Uint8Array
}

/** How changes through the editor went. `takeBack` returns the paths that it had to leave. */
export interface EditorLanding {
  readonly landing: Landing
  readonly takeBack: () => Promise<readonly string[]>
}

interface Done {
  readonly path: string
  readonly place: string
  readonly before: string
  readonly wrote: string
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Writes changes through the editor, all of them or none. */
export async function landInEditor(
  inEditor: readonly InEditor[],
  contentOf: (digest: Digest) => Uint8Array | null,
  buffers: OpenBuffers,
): Promise<EditorLanding> {
  const done: Done[] = []
  const takeBack = (): Promise<readonly string[]> => takeAllBack(done, buffers)
  const give = async (landing: Landing): Promise<EditorLanding> => ({
    landing: withLeft(landing, await takeBack()),
    takeBack,
  })
  for (const { change, holds, bytes } of inEditor) {
    const { root, path, before, after } = change
    if (holds !== null && holds === after?.digest) continue
    const content = after === null ? null : contentOf(after.digest)
    if (holds === null || holds !== before?.digest || content === null)
      return give({ is: 'drifted', files: [path] })
    const attempt = { path, place: join(root, path), before: utf8.decode(bytes), wrote: utf8.decode(content) }
    const written = await write(attempt, buffers)
    if (written.is === 'written') {
      done.push(attempt)
      continue
    }
    const said = written.why.replace(/\.$/, '')
    return give(
      written.is === 'refused'
        ? { is: 'failed', file: path, why: `The editor did not change ${path}: ${said}.`, isLasting: true }
        : { is: 'drifted', files: [path], why: `may have been changed by the editor, now or later: ${said}` },
    )
  }
  return { landing: { is: 'landed' }, takeBack }
}

/** A refusal counts only if the text is as it was. */
async function write({ place, before, wrote }: Done, buffers: OpenBuffers): Promise<Written> {
  const written = await buffers.write(place, wrote)
  if (written.is !== 'refused') return written
  return (await holdsNow(place, before, buffers)) ? written : { ...written, is: 'unknown' }
}

/** Puts back what buffers held, newest first. One that a person has typed in since, or that cannot be seen, is left. */
async function takeAllBack(done: readonly Done[], buffers: OpenBuffers): Promise<readonly string[]> {
  const left: string[] = []
  for (const { path, place, before, wrote } of done.toReversed()) {
    const isOurs = await holdsNow(place, wrote, buffers)
    const back: Written = isOurs ? await buffers.write(place, before) : { is: 'refused', why: '' }
    if (back.is !== 'written') left.push(path)
  }
  return left
}

async function holdsNow(place: string, text: string, buffers: OpenBuffers): Promise<boolean> {
  await buffers.refresh([place])
  const held = buffers.held(place)
  return held !== null && held.file !== null && isSameText(held.text, text)
}

/** The outcome if some of what was written could not be taken back. */
export function withLeft(landing: Landing, left: readonly string[]): Landing {
  if (left.length === 0 || landing.is === 'landed') return landing
  const files = landing.is === 'drifted' ? [...new Set([...left, ...landing.files])] : left
  const cause = landing.why === undefined ? '' : ` (${landing.why.replace(/\.$/, '')})`
  const why = `changed in the editor while the call was taken back, and may hold what it wrote${cause}`
  return { is: 'drifted', files, why }
}
