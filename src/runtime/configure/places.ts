import { join, resolve } from 'node:path'
import { canonicalFolder, isInside, stateFolder } from '../../host/fs/folders.ts'
import { ConfigurationError } from './configuration-error.ts'

/** The root as the journal knows it, whatever way leads there. */
export function canonicalRoot(path: string): string {
  const real = canonicalFolder(path)
  if (real !== null) return real
  throw new ConfigurationError([
    { source: 'root', message: `${path} is no folder that can be opened`, hint: 'check what --root names' },
  ])
}

/** The state folder, which must not lie where tools can reach it. */
export function placeState(given: string | undefined, root: string): string {
  const stateDir = resolve(given ?? stateFolder(process.env))
  if (!isInside(stateDir, root)) return stateDir
  const message = `${stateDir} lies inside the workspace ${root}, where tools could reach it`
  throw new ConfigurationError([
    { source: 'state folder', message, hint: 'set TONGS_STATE_DIR to a folder elsewhere' },
  ])
}

/** Where in the state folder old contents of files and the output of commands are kept. */
export function keptFolders(stateDir: string): {
  readonly backupFolder: string
  readonly outputFolder: string
} {
  return { backupFolder: join(stateDir, 'backups'), outputFolder: join(stateDir, 'outputs') }
}
