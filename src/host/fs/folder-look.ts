import { lstatSync, readdirSync } from 'node:fs'

/** A name in a folder. */
export interface FoundName {
  readonly name: string
  readonly isFolder: boolean
}

/** What changes whenever a name in a folder comes or goes; nobody can set it back. */
export interface FolderStamp {
  readonly text: string
  /** Epoch milliseconds of the last change. */
  readonly changedMs: number
}

/** The stamp of a folder, or null where there is none. */
export function folderStamp(path: string): FolderStamp | null {
  try {
    const { ino, dev, ctimeNs, mtimeNs, ctimeMs } = lstatSync(path, { bigint: true })
    return { text: `${dev}:${ino}:${ctimeNs}:${mtimeNs}`, changedMs: Number(ctimeMs) }
  } catch {
    return null
  }
}

/** The names in a folder, or null where they cannot be read; links are never followed. */
export function readFolderNames(path: string): readonly FoundName[] | null {
  try {
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
    }))
  } catch {
    return null
  }
}
