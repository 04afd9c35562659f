import { posix } from 'node:path'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Registry } from '../../core/registry.ts'
import { putRight } from '../../pipeline/parse/put-right.ts'
import { foldersTo, joinNotes, readFolderNotes, share } from './read-notes.ts'
import type { NotesDeps } from './read-notes.ts'

/** A call as far as it tells where the model works. */
export interface PlacedCall {
  readonly name: string
  readonly args: unknown
}

/** What the model has been told about folders. */
export interface ToldFolders {
  readonly folders: ReadonlySet<string>
  readonly bytes: number
}

/** The notes of folders that the model has come to work in. */
export interface NearNotes {
  /** The folders, also those whose notes the model has just read by itself. */
  readonly folders: readonly string[]
  /** Null if the model has read all of it. */
  readonly text: string | null
  readonly bytes: number
}

/** A call that walks through many folders does not fill the context with their notes. */
const MOST_FOLDERS = 8

/** Finds notes in the folders that calls were about, apart from those that the model knows; null if there are none. */
export function readNearNotes(
  calls: readonly PlacedCall[],
  told: ToldFolders,
  deps: NotesDeps & { readonly registry: Registry },
): NearNotes | null {
  const { settings, startFolder } = deps
  const known = new Set([...foldersTo(startFolder), ...told.folders])
  const paths = new Set(calls.flatMap((call) => pathsOf(call, deps)))
  const folders = [...new Set([...paths].flatMap(foldersTo))].filter((folder) => !known.has(folder))
  const found = folders.slice(0, MOST_FOLDERS).flatMap((folder) => {
    const files = readFolderNotes(folder, deps)
    return files.length === 0 ? [] : [{ folder, files }]
  })
  if (found.length === 0) return null
  const unread = found.flatMap(({ files }) => files.filter(({ path }) => !paths.has(path)))
  const left = Math.max(0, settings['conversation.notes_total_bytes'] - told.bytes)
  const shown = share(unread, left, settings)
  return {
    folders: found.map(({ folder }) => folder),
    text: shown.length === 0 ? null : joinNotes(shown),
    bytes: shown.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** The paths that a call names, relative to the root; of what it found by itself, nothing is known here. */
function pathsOf(
  { name, args }: PlacedCall,
  { registry, workspace }: NotesDeps & { readonly registry: Registry },
): readonly string[] {
  const tool = registry.find(name)
  if (tool === null || !isJsonObject(args)) return []
  const root = `${workspace.roots[0] ?? ''}/`
  return claimed(() => tool.claims(putRight(args as JsonObject, tool.inputSchema, tool.slips).args)).flatMap(
    ({ path }) => {
      const inside = posix.normalize(path.startsWith(root) ? path.slice(root.length) : path)
      return inside.startsWith('..') || inside.startsWith('/') ? [] : [inside.replace(/\/$/, '')]
    },
  )
}

/** Arguments that a tool does not take may make it throw. */
function claimed<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read()
  } catch {
    return []
  }
}
