import { ToolFailure } from '../../core/error.ts'
import { syncFileSystem } from '../../host/fs/sync-file-system.ts'
import { isMachineFault } from '../../host/root/io-failure.ts'
import { folderOf, partsOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { FileChange, FileState } from '../../journal/entries/entry.ts'
import type { LookOptions } from './change-status.ts'
import type { HeldFiles } from './contents/held.ts'
import { placeOf } from './place-of.ts'

/** From so many files on, flushing the whole file system once is quicker than flushing each. */
const MANY = 200

/** What is to be flushed, by absolute path. */
interface Flush {
  readonly files: Map<string, () => Promise<void>>
  readonly folders: Map<string, () => void>
}

/** Flushes changed files and their folder entries to disk, and those of what was moved away. Files that are gone since are ignored. */
export async function syncFiles(
  changes: readonly FileChange[],
  { rootOf, held }: Pick<LookOptions, 'rootOf' | 'held'>,
): Promise<void> {
  const away = changes.flatMap(({ root, before }) => heldIn(root, before))
  if (changes.length + away.length >= MANY) {
    const roots = changes.map(({ root }) => rootOf(root))
    if (await syncAll([...roots, ...layersOf(away, held)])) return
  }
  const flush = nothing()
  for (const { root, path, before } of changes) {
    add(flush, rootOf(root), path)
    const kept = before?.held === undefined ? null : held.find(root, before.held)
    if (kept !== null) add(flush, kept.root, kept.rel)
  }
  await carryOut(flush)
}

/** Flushes contents that are to be moved into the workspace. */
export async function syncHeld(changes: readonly FileChange[], held: HeldFiles): Promise<void> {
  const coming = changes.flatMap(({ root, after }) => heldIn(root, after))
  if (coming.length >= MANY && (await syncAll(layersOf(coming, held)))) return
  const flush = nothing()
  for (const { root, held: name } of coming) {
    const spot = held.find(root, name)
    if (spot !== null) add(flush, spot.root, spot.rel)
  }
  await carryOut(flush)
}

/** A content on a layer. */
interface Held {
  readonly root: string
  readonly held: string
}

function heldIn(root: string, state: FileState | null): readonly Held[] {
  return state?.held === undefined ? [] : [{ root, held: state.held }]
}

/** The folders that contents lie in. What is on one layer lies in one place, so that each layer is looked for once. */
function layersOf(contents: readonly Held[], held: HeldFiles): readonly Root[] {
  const layers = new Map(
    contents.map(({ root, held: name }) => {
      const [layer = name] = partsOf(name)
      return [placeOf(root, layer), { root, layer }] as const
    }),
  )
  return [...layers.values()].flatMap(({ root, layer }) => held.find(root, layer)?.root ?? [])
}

function nothing(): Flush {
  return { files: new Map(), folders: new Map() }
}

function add({ files, folders }: Flush, root: Root, path: string): void {
  files.set(`${root.path}/${path}`, () => syncFile(root, path))
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const at = folder
    folders.set(`${root.path}/${at}`, () => root.syncDir(at))
    // A folder that was created for the file is a new name in its parent.
    if (folder === '') break
  }
}

async function carryOut({ files, folders }: Flush): Promise<void> {
  for (const sync of files.values()) await sync()
  for (const sync of folders.values()) unlessGone(sync)
}

/** Flushes the file systems of some folders; false if that is not possible. */
async function syncAll(roots: readonly Root[]): Promise<boolean> {
  for (const root of new Set(roots)) if (!(await syncFileSystem(root.path))) return false
  return true
}

async function syncFile(root: Root, path: string): Promise<void> {
  const file = unlessGone(() => (root.stat(path)?.kind === 'file' ? root.openFile(path) : null))
  if (file === null) return
  try {
    await file.sync()
  } finally {
    file.close()
  }
}

function unlessGone<T>(run: () => T): T | null {
  try {
    return run()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || isMachineFault(thrown)) throw thrown
    return null
  }
}
