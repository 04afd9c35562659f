import { isAbsolute, join, resolve } from 'node:path'
import { canonicalFolder, isInside, stateFolder } from '../../host/fs/folders.ts'
import { ConfigurationError } from './configuration-error.ts'
import { checkOwnPlaces } from './own-places.ts'

/** The canonical path of a root, which the journal uses for its sessions. */
export function canonicalRoot(path: string): string {
  const real = canonicalFolder(path)
  if (real !== null) return real
  throw new ConfigurationError([
    { source: 'root', message: `cannot open folder ${path}`, hint: 'check the path given with --root' },
  ])
}

/** The state folder. The root is checked before anything in that folder is believed, the other roots when they are known. */
export function placeState(given: string | undefined, root: string): string {
  const stateDir = resolve(given ?? stateFolder(process.env))
  checkOwnPlaces({ stateDir, env: process.env, settings: null }, [root])
  return stateDir
}

/** The witness, which has to lie where neither tools nor a copy of the state folder can replace it; empty if there is none. */
export function placeWitness(
  given: string,
  { roots, stateDir }: { readonly roots: readonly string[]; readonly stateDir: string },
): string {
  if (given === '') return ''
  const fault = !isAbsolute(given)
    ? 'is not an absolute path'
    : isInside(given, stateDir)
      ? 'is inside the state folder, and would be restored with it'
      : roots.some((root) => isInside(given, root))
        ? 'is inside the workspace, where tools could reach it'
        : null
  if (fault === null) return given
  throw new ConfigurationError([
    {
      source: 'journal.witness',
      message: `${given} ${fault}`,
      hint: 'name a file on another disk, or in a folder that is not part of the same backup',
    },
  ])
}

/** The folders in the state folder for backups and for the output of commands. */
export function storedFolders(stateDir: string): {
  readonly backupFolder: string
  readonly outputFolder: string
} {
  return { backupFolder: join(stateDir, 'backups'), outputFolder: join(stateDir, 'outputs') }
}
