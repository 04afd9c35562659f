import { join } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import type { OpenBuffers } from './open-buffers.ts'
import { digest } from '../../host/system/hash.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import { landInEditor, withLeft } from './land-in-editor.ts'
import type { InEditor } from './land-in-editor.ts'
import type { CurrentFile } from '../landing/read-current.ts'
import type { Workspace } from '../workspace.ts'
import type { FindUnsaved } from './unsaved.ts'

const NO_BYTES = new Uint8Array()

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
  /** The unsaved text of a file; `doubtful` if that may be the text of another file. */
  const findIn = (place: string, { bytes, identity }: CurrentFile): Uint8Array | 'doubtful' | null => {
    try {
      return findUnsaved(place, bytes, identity)
    } catch (thrown) {
      if (thrown instanceof ToolFailure) return 'doubtful'
      throw thrown
    }
  }
  const unsavedOf = ({ root, path }: FileChange): Uint8Array | 'doubtful' | null => {
    const place = join(root, path)
    const current = buffers.held(place) === null ? null : workspace.readCurrent(root, path, maxBytes)
    return current === null ? null : findIn(place, current)
  }
  const split = (changes: readonly FileChange[]) => {
    const inEditor = changes.flatMap((change): readonly InEditor[] => {
      const found = unsavedOf(change)
      if (found === 'doubtful') return [{ change, holds: null, bytes: NO_BYTES }]
      return found === null ? [] : [{ change, holds: digest(found), bytes: found }]
    })
    const taken = new Set(inEditor.map(({ change }) => change))
    return { inEditor, onDisk: changes.filter((change) => !taken.has(change)) }
  }
  const driftIn = (changes: readonly FileChange[], mayBeAfter: (change: FileChange) => boolean) => {
    const { inEditor, onDisk } = split(changes)
    const drifted = inEditor.filter(
      ({ change, holds }) =>
        holds === null ||
        (holds !== change.before?.digest && !(mayBeAfter(change) && holds === change.after?.digest)),
    )
    return { drifted: drifted.map(({ change: { root, path } }) => ({ root, path })), onDisk }
  }

  return {
    ...workspace,
    buffers,
    readCurrent(root, path, most) {
      const current = workspace.readCurrent(root, path, most)
      const unsaved = current === null ? null : findIn(join(root, path), current)
      if (current === null || unsaved === null) return current
      if (unsaved === 'doubtful' || unsaved.length > most) return null
      return { ...current, bytes: unsaved, state: { ...current.state, digest: digest(unsaved) } }
    },
    async findDrift(changes, mayBeAfter = () => false) {
      await buffers.refresh(changes.map(({ root, path }) => join(root, path)))
      const { drifted, onDisk } = driftIn(changes, mayBeAfter)
      return [...drifted, ...(await workspace.findDrift(onDisk, mayBeAfter))]
    },
    findDriftNow(changes, mayBeAfter = () => false) {
      const { drifted, onDisk } = driftIn(changes, mayBeAfter)
      return [...drifted, ...workspace.findDriftNow(onDisk, mayBeAfter)]
    },
    async findObstacle(changes) {
      const locked = changes.find(({ root, path }) => buffers.lockOf(join(root, path)) !== null)
      if (locked === undefined) return workspace.findObstacle(changes)
      const why = buffers.lockOf(join(locked.root, locked.path)) ?? ''
      return { path: locked.path, why: `it is read-only in the editor (${why})`, is: 'locked' }
    },
    land(execution, changes, contentOf, how) {
      // Nothing can be awaited here. What a buffer holds already need not be written.
      const { inEditor } = split(changes)
      const isThere = new Set(
        inEditor.flatMap(({ change, holds }) =>
          holds !== null && holds === change.after?.digest ? [change] : [],
        ),
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
      const { landing, takeBack } = await landInEditor(inEditor, contentOf, buffers)
      if (landing.is !== 'landed') {
        // Nothing lands on disk either, but the call is no longer about to.
        await workspace.landGently(execution, [], contentOf, how)
        return landing
      }
      const landed = await workspace.landGently(execution, onDisk, contentOf, how)
      return landed.is === 'landed' ? landed : withLeft(landed, await takeBack())
    },
  }
}
