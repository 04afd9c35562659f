import { basename, join } from 'node:path'
import { failure } from '../core/error.ts'
import { canonicalFolder } from '../host/folders.ts'
import { digest } from '../host/hash.ts'
import { openRoot } from '../host/root/open-root.ts'
import type { OpenFile } from '../host/root/root.ts'
import type { SessionKey } from '../journal/entry.ts'

/** The file that will hold the old content of `path`: its time, its call and its name can be read off it. */
export function backupPathFor(folder: string, execution: string, atMs: number, path: string): string {
  const time = new Date(atMs).toISOString().replaceAll(/[-:]/g, '').replace('.', '')
  const name = basename(path)
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 80)
  return join(folder, `${time}-${execution}-${digest(path).slice(0, 8)}-${name}`)
}

/** The folder of one session's backups; no session reads another one's. */
export function sessionFolder(folder: string, { root, name }: SessionKey): string {
  return join(folder, digest(`${root}\0${name}`).slice(0, 32))
}

const KEPT = /^tongs:backup\/([A-Za-z0-9._-]{1,255})$/

/** Whether a path names something Tongs keeps itself, outside the workspace. */
export function isKeptPath(path: string): boolean {
  return path.startsWith('tongs:')
}

/** Opens a kept backup by the name its result gave; the folder is ours alone, and only plain names lead into it. */
export function openKept(folder: string, path: string): OpenFile {
  const name = KEPT.exec(path)?.[1]
  const missing = failure('execution_failed', `Nothing is kept as ${path}.`, { path }, [
    'Use the name at the end of a backup_path of this session: tongs:backup/NAME.',
  ])
  if (name === undefined || name === '.' || name === '..' || canonicalFolder(folder) === null) throw missing
  const root = openRoot(folder)
  try {
    if (root.stat(name)?.kind !== 'file') throw missing
    return root.openFile(name)
  } finally {
    root.close()
  }
}
