import { Buffer } from 'node:buffer'
import { isRealFolder, kindOrMissing } from '../../host/confine/inspect-path.ts'
import { RefusedFileError } from '../../host/fs/plain-file.ts'
import { isTrusted, trust } from './trust.ts'
import type { TrustPlaces } from './trust.ts'

/** A file of a project whose exact content is trusted, or is not. */
export interface ProjectFile {
  /** By which it is told from the others of its kind. */
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
}

/** The files of a root that are trusted as a whole, by what they are: not a path, so that it is never the key of a root. */
export interface TrustedSet {
  readonly stateDir: string
  readonly root: string
  readonly kind: 'commands' | 'roles' | 'skills'
}

/** Whether exactly these files were trusted. */
export function areTrusted({ stateDir, root, kind }: TrustedSet, files: readonly ProjectFile[]): boolean {
  if (files.length === 0) return false
  try {
    return isTrusted(stateDir, `${kind} of ${root}`, textOf(files))
  } catch (error) {
    // A list that cannot be read trusts nothing, and what is the user's own works all the same.
    if (error instanceof RefusedFileError) return false
    throw error
  }
}

/** Trusts these files exactly as they are; returns their paths. */
export function trustFiles(
  { root, kind, ...places }: TrustPlaces & TrustedSet,
  files: readonly ProjectFile[],
): readonly string[] {
  if (files.length > 0) trust(places, `${kind} of ${root}`, textOf(files))
  return files.map(({ path }) => path)
}

/** All that a model could be told by these files. */
function textOf(files: readonly ProjectFile[]): string {
  return JSON.stringify(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')]))
}

/** Why a folder of such files is not looked into; null if it is a real one, or not there. */
export function findFolderFault(from: string, folder: string): 'missing' | string | null {
  if (isRealFolder(from, folder)) return null
  return kindOrMissing(folder) === 'missing' ? 'missing' : 'it is a link, behind a link, or not a folder'
}
