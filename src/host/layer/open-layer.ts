import { Buffer } from 'node:buffer'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { failure } from '../../core/error.ts'
import { readFolderAttributes, setFolderAttributes } from '../fs/attributes.ts'
import { listsIn } from '../root/access-list.ts'
import { showPath } from '../root/rel-path.ts'
import { OLD, UPPER } from './layer.ts'
import type { Layer, LayerPart, LayerRung } from '../../core/layer.ts'
import { describeOwner, OWNER_FILE, ownerMark } from './layer-owner.ts'
import { noteBegun } from './enter/layer-clock.ts'
import { isExecutionName, newName } from './layer-names.ts'
import { tryTo } from '../system/try-to.ts'
import { isWholeSecond, SECOND_MS } from '../root/file-stat.ts'
import { identifyFolder } from './root-identity.ts'
import { noteGivenUp, removeFolder, removeNew, unlessFailing } from './remove-folder.ts'

/** What a layer is made of. */
export interface LayerRequest {
  /** The call. */
  readonly execution: string
  /** The folders of the workspace, absolute and without links. */
  readonly roots: readonly string[]
  /** The folder for the layers of each root, in the same order. */
  readonly places: readonly string[]
  readonly rung: LayerRung
}

/** The folder of a part in which it is mounted. */
export const MERGED = 'merged'
/** The folder of a part in which overlayfs prepares files, a new one for each mount. */
export const WORK = 'work'
/** The folder of a part with what stands in for hidden files. */
export const MASKS = 'masks'
/** The folder of a part with what shows between the workspace and what commands write, a new one for each mount. */
export const PLANTS = 'plants'

/** Makes the folders of a layer. */
export function openLayer({ execution, roots, places, rung }: LayerRequest): Layer {
  if (!isExecutionName(execution))
    throw failure('execution_failed', `${execution} is not the name of a call.`)
  const distinct = [...new Set(places)]
  const made: string[] = []
  try {
    for (const place of distinct) claim(place, execution, made)
    const parts = roots.map((root, index): LayerPart => {
      const folder = join(places[index] ?? '', execution, `${index}`)
      for (const name of ['', UPPER, WORK, MERGED, OLD, MASKS, PLANTS])
        mkdirSync(join(folder, name), { mode: 0o700 })
      adopt(join(folder, UPPER), root)
      return { root, identity: identifyFolder(root), folder }
    })
    const startedMs = Math.max(...distinct.map((place) => tickAfterNow(join(place, execution, OWNER_FILE))))
    const layer: Layer = { rung, execution, startedMs: afterCoarseTick(startedMs, roots), parts }
    noteBegun(layer)
    return layer
  } catch (error) {
    for (const folder of made) removeNew(folder)
    throw error
  }
}

/** Removes a layer and everything in it; what fails is left to a sweep. */
export async function discardLayer({ execution, parts }: Layer): Promise<void> {
  const folders = new Set(parts.map(({ folder }) => join(folder, '..')))
  for (const folder of folders)
    if (folder.endsWith(`/${execution}`)) await unlessFailing(removeFolder(folder))
}

/** Says that no call uses a layer any more, although it is unknown whether it is needed: a sweep asks the journal. */
export function giveUpLayer({ execution, parts }: Layer): void {
  for (const { folder } of parts) {
    const own = join(folder, '..')
    if (own.endsWith(`/${execution}`)) noteGivenUp(own)
  }
}

/** The folder appears under its name only with the note of who owns it, so that no other process takes it for a leftover. */
function claim(place: string, execution: string, made: string[]): void {
  const fresh = join(place, newName(ownerMark(), execution))
  mkdirSync(fresh, { mode: 0o700 })
  made.push(fresh)
  writeFileSync(join(fresh, OWNER_FILE), describeOwner(), { mode: 0o600 })
  renameSync(fresh, join(place, execution))
  made.push(join(place, execution))
}

/** The folder that shows as the root itself looks like it. */
function adopt(upper: string, root: string): void {
  const { mode, uid, gid } = statSync(root)
  const own = statSync(upper)
  // Another owner's folder can be imitated by root only; for others the mode is what counts.
  if (own.uid !== uid || own.gid !== gid) tryTo(() => chownSync(upper, uid, gid))
  chmodSync(upper, mode & 0o7777)
  const lists = listsIn(readFolderAttributes(root, [HERE])?.[0] ?? new Map<string, Uint8Array>())
  if (lists.size === 0) return
  const is = statSync(upper)
  if (!setFolderAttributes(upper, { mode: mode & 0o7777, uid: is.uid, gid: is.gid, attributes: lists }))
    throw failure(
      'execution_failed',
      `A layer cannot be given the access lists of ${showPath(root)}, so the command did not run.`,
      {},
      [
        'Check that GNU tar is installed, and that the folder for layers is on a file system with access lists.',
      ],
    )
}

/** The name of a folder in itself. */
const HERE = Buffer.from('.')

/** The same where the root is on another file system than the layer, with times in whole seconds: waits for the next one. */
function afterCoarseTick(startedMs: number, roots: readonly string[]): number {
  if (!roots.some((root) => isWholeSecond(statSync(root).ctimeMs))) return startedMs
  const nextMs = Math.ceil(startedMs / SECOND_MS) * SECOND_MS
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  for (let left = nextMs - Date.now(); left > 0 && left <= SECOND_MS; left = nextMs - Date.now())
    Atomics.wait(waiting, 0, 0, left)
  return nextMs
}

/** Waits for the next tick of the file system's clock: what changed before does not look as if it changed since. */
export function tickAfterNow(file: string): number {
  const now = new Date()
  const touch = (): number => {
    utimesSync(file, now, now)
    return lstatSync(file).ctimeMs
  }
  const first = touch()
  for (;;) {
    const at = touch()
    if (at !== first) return at
  }
}
