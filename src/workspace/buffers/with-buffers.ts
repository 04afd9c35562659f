import { join } from 'node:path'
import type { OpenBuffers } from './open-buffers.ts'
import { digest } from '../../host/system/hash.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { Landing } from '../landing/landing-outcome.ts'
import type { Workspace } from '../workspace.ts'
import type { FindUnsaved } from './unsaved.ts'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

type ContentOf = (digest: Digest) => Uint8Array | null

/**
 * The workspace with the texts of open buffers over it: a file with unsaved text is judged by that text, and changes of
 * it land through the editor. Everything else is as without.
 */
export function withBuffers(
  workspace: Workspace,
  buffers: OpenBuffers,
  findUnsaved: FindUnsaved,
  maxBytes: number,
): Workspace {
  const unsavedOf = ({ root, path }: FileChange): Uint8Array | null => {
    const absolute = join(root, path)
    if (buffers.text(absolute) === null) return null
    const current = workspace.readCurrent(root, path, maxBytes)
    return current === null ? null : findUnsaved(absolute, current.bytes)
  }
  const split = (changes: readonly FileChange[]) => {
    const inEditor = changes.flatMap((change) => {
      const bytes = unsavedOf(change)
      return bytes === null ? [] : [{ change, holds: digest(bytes), bytes }]
    })
    const taken = new Set(inEditor.map(({ change }) => change))
    return { inEditor, onDisk: changes.filter((change) => !taken.has(change)) }
  }
  const driftIn = (changes: readonly FileChange[], mayBeAfter: (change: FileChange) => boolean) => {
    const { inEditor, onDisk } = split(changes)
    const drifted = inEditor.filter(
      ({ change, holds }) =>
        holds !== change.before?.digest && !(mayBeAfter(change) && holds === change.after?.digest),
    )
    return { drifted: drifted.map(({ change }) => change.path), onDisk }
  }

  /** Writes changes through the editor, all of them or none. */
  async function landInEditor(
    inEditor: ReturnType<typeof split>['inEditor'],
    contentOf: ContentOf,
  ): Promise<{ readonly landing: Landing; readonly takeBack: () => Promise<void> }> {
    const done: (() => Promise<void>)[] = []
    const takeBack = async (): Promise<void> => {
      for (const undo of done.toReversed()) await undo().catch(() => undefined)
    }
    for (const { change, holds, bytes } of inEditor) {
      const after = change.after === null ? null : contentOf(change.after.digest)
      if (holds === change.after?.digest) continue
      if (holds !== change.before?.digest || after === null) {
        await takeBack()
        return { landing: { is: 'drifted', files: [change.path] }, takeBack }
      }
      const place = join(change.root, change.path)
      try {
        await buffers.write(place, utf8.decode(after))
      } catch (thrown) {
        await takeBack()
        const said = thrown instanceof Error ? thrown.message : String(thrown)
        const why = `The editor did not change ${change.path}: ${said.replace(/\.$/, '')}.`
        return { landing: { is: 'failed', file: change.path, why, isLasting: true }, takeBack }
      }
      done.push(() => buffers.write(place, utf8.decode(bytes)))
    }
    return { landing: { is: 'landed' }, takeBack }
  }

  return {
    ...workspace,
    buffers,
    async findDrift(changes, mayBeAfter = () => false) {
      await buffers.refresh(changes.map(({ root, path }) => join(root, path)))
      const { drifted, onDisk } = driftIn(changes, mayBeAfter)
      return [...drifted, ...(await workspace.findDrift(onDisk, mayBeAfter))]
    },
    findDriftNow(changes, mayBeAfter = () => false) {
      const { drifted, onDisk } = driftIn(changes, mayBeAfter)
      return [...drifted, ...workspace.findDriftNow(onDisk, mayBeAfter)]
    },
    land(execution, changes, contentOf, how) {
      // Nothing can be awaited here. What a buffer holds already need not be written.
      const { inEditor } = split(changes)
      const isThere = new Set(
        inEditor.flatMap(({ change, holds }) => (holds === change.after?.digest ? [change] : [])),
      )
      return workspace.land(
        execution,
        changes.filter((change) => !isThere.has(change)),
        contentOf,
        how,
      )
    },
    async landGently(execution, changes, contentOf, how) {
      const { inEditor, onDisk } = split(changes)
      if (inEditor.length === 0) return workspace.landGently(execution, changes, contentOf, how)
      const { landing, takeBack } = await landInEditor(inEditor, contentOf)
      if (landing.is !== 'landed') {
        // Nothing lands on disk either, but the call is no longer about to.
        await workspace.landGently(execution, [], contentOf, how)
        return landing
      }
      const landed = await workspace.landGently(execution, onDisk, contentOf, how)
      if (landed.is !== 'landed') await takeBack()
      return landed
    },
  }
}
