import { join, resolve } from 'node:path'
import { canonicalFolder, isInside, stateFolder } from '../../host/fs/folders.ts'
import { ConfigurationError } from './configuration-error.ts'

/** The canonical path of a root, which the journal uses for its sessions. */
export function canonicalRoot(path: string): string {
  const real = canonicalFolder(path)
  if (real !== null) return real
  throw new ConfigurationError([
    { source: 'root', message: `cannot open folder ${path}`, hint: 'check the path given with --root' },
  ])
}

/** The state folder, which must not be where tools can reach it. */
export function placeState(given: string | undefined, root: string): string {
  const stateDir = resolve(given ?? stateFolder(process.env))
  if (!isInside(stateDir, root)) return stateDir
  const message = `${stateDir} is inside the workspace ${root}, where tools could reach it`
  throw new ConfigurationError([
    { source: 'state folder', message, hint: 'set TONGS_STATE_DIR to a folder outside the workspace' },
  ])
}

/** The folders in the state folder for backups and for the output of commands. */
export function storedFolders(stateDir: string): {
  readonly backupFolder: string
  readonly outputFolder: string
} {
  return { backupFolder: join(stateDir, 'backups'), outputFolder: join(stateDir, 'outputs') }
}
