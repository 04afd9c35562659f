import { join } from 'node:path'
import { PROJECT_FOLDER_NAME, userFolder } from '../../host/fs/folders.ts'
import type { Environment } from '../../host/fs/folders.ts'
import type { TrustPlaces } from '../configure/trust.ts'
import { areTrusted, findFolderFault, trustFiles } from '../configure/trusted-files.ts'
import type { PromptFile, PromptFiles, PromptOwner, UnusableFile } from './prompt-file.ts'
import { readPromptFiles } from './read-prompt-files.ts'

/** What is kept in files with prompts; each kind has a folder of this name. */
export type PromptKind = 'commands' | 'roles'

/** What decides where files are, and whether those of the project count. */
export interface PromptPlaces {
  /** The canonical root. */
  readonly root: string
  readonly stateDir: string
  readonly env: Environment
}

/** How the files of a kind are read. */
export interface PromptReader<T> {
  readonly kind: PromptKind
  /** Why a name cannot be used; null if it can. */
  readonly findFault: (name: string) => string | null
  /** Why a file of the project is not used if the user has one of that name. */
  readonly sayReplaced: (name: string) => string
  /** Makes one of a file, or says why not. */
  readonly read: (file: PromptFile, from: PromptOwner) => T | UnusableFile
}

/** What was found, each list in the order of names. */
export interface FoundPrompts<T> {
  readonly usable: readonly T[]
  readonly unusable: readonly UnusableFile[]
}

const NOTHING: PromptFiles = { files: [], unusable: [] }

/**
 * Finds what is in files, for every face alike: the user's own, and those of the project if exactly these files were
 * trusted. The files are read anew each time.
 */
export function findPrompts<T extends { readonly name: string }>(
  places: PromptPlaces,
  reader: PromptReader<T>,
): FoundPrompts<T> {
  const { kind, findFault, sayReplaced } = reader
  const own = sortOut(readUserFiles(places.env, kind), 'user', reader, findFault)
  const ownNames = new Set(own.usable.map(({ name }) => name))
  const project = readProjectFiles(places.root, kind)
  const isKnown = areTrusted({ ...places, kind }, project.files)
  const shared = sortOut(project, 'project', reader, (name) => {
    const fault = findFault(name)
    if (fault !== null) return fault
    if (ownNames.has(name)) return sayReplaced(name)
    return isKnown
      ? null
      : `the project's ${kind} are not trusted as they are now; read them, then run "tongs trust"`
  })
  return {
    usable: [...own.usable, ...shared.usable].toSorted(byName),
    unusable: [...own.unusable, ...shared.unusable].toSorted(byName),
  }
}

/** Trusts the project's files of a kind exactly as they are; returns their paths, none if there are no files to trust. */
export function trustPrompts(
  { root, stateDir, witness }: Pick<PromptPlaces, 'root'> & TrustPlaces,
  kind: PromptKind,
): readonly string[] {
  return trustFiles({ root, stateDir, witness, kind }, readProjectFiles(root, kind).files)
}

/** The folder of the project's files of a kind. */
export function projectPromptsFolder(root: string, kind: PromptKind): string {
  return join(root, PROJECT_FOLDER_NAME, kind)
}

/** A link in its place is not followed: it could lead into a workspace, where tools change files. */
function readUserFiles(env: Environment, kind: PromptKind): PromptFiles {
  const folder = userFolder(env)
  return readFolder(folder, join(folder, kind))
}

function readProjectFiles(root: string, kind: PromptKind): PromptFiles {
  return readFolder(root, projectPromptsFolder(root, kind))
}

function readFolder(from: string, folder: string): PromptFiles {
  const fault = findFolderFault(from, folder)
  if (fault === null) return readPromptFiles(folder)
  return fault === 'missing' ? NOTHING : { files: [], unusable: [{ name: '', path: folder, why: fault }] }
}

/** Reads files; a broken one does not affect the others. */
function sortOut<T>(
  { files, unusable }: PromptFiles,
  from: PromptOwner,
  { read }: PromptReader<T>,
  findFault: (name: string) => string | null,
): FoundPrompts<T> {
  const usable: T[] = []
  const broken = [...unusable]
  for (const file of files) {
    const { name, path } = file
    const fault = findFault(name)
    const made = fault === null ? read(file, from) : { name, path, why: fault }
    if (isUnusable(made)) broken.push(made)
    else usable.push(made)
  }
  return { usable, unusable: broken }
}

function isUnusable<T>(made: T | UnusableFile): made is UnusableFile {
  return typeof made === 'object' && made !== null && 'why' in made
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
