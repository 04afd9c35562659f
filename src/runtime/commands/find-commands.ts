import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { isRealFolder, kindOrMissing } from '../../host/confine/inspect-path.ts'
import { PROJECT_FOLDER_NAME, userCommandsFolder } from '../../host/fs/folders.ts'
import type { Environment } from '../../host/fs/folders.ts'
import { RefusedFileError } from '../../host/fs/plain-file.ts'
import { isTrusted, trust } from '../configure/trust.ts'
import { isBuiltInName } from './built-in-names.ts'
import type { OwnCommand, OwnCommands, UnusableCommand } from './own-command.ts'
import { parseCommand } from './parse-command.ts'
import { readCommandFiles } from './read-command-files.ts'
import type { CommandFile, CommandFiles } from './read-command-files.ts'

/** What decides where commands are, and whether those of the project count. */
export interface CommandPlaces {
  /** The canonical root. */
  readonly root: string
  readonly stateDir: string
  readonly env: Environment
}

const NOTHING: CommandFiles = { files: [], unusable: [] }
const UNTRUSTED = 'the project\'s commands are not trusted as they are now; read them, then run "tongs trust"'

/**
 * Finds the commands that are files, for every face alike: the user's own, and those of the project if exactly these
 * files were trusted. The files are read anew each time.
 */
export function findCommands(places: CommandPlaces): OwnCommands {
  const own = sortOut(readUserFiles(places.env), 'user', (name) =>
    isBuiltInName(name) ? `/${name} is a command of the app` : null,
  )
  const ownNames = new Set(own.usable.map(({ name }) => name))
  const project = readProjectFiles(places.root)
  const isKnown = isKnownProject(places, project)
  const shared = sortOut(project, 'project', (name) => {
    if (isBuiltInName(name)) return `/${name} is a command of the app`
    if (ownNames.has(name)) return `your own /${name} is used instead`
    return isKnown ? null : UNTRUSTED
  })
  return {
    usable: [...own.usable, ...shared.usable].toSorted(byName),
    unusable: [...own.unusable, ...shared.unusable].toSorted(byName),
  }
}

function isKnownProject({ root, stateDir }: CommandPlaces, project: CommandFiles): boolean {
  if (project.files.length === 0) return false
  try {
    return isTrusted(stateDir, trustKey(root), textOf(project))
  } catch (error) {
    // A list that cannot be read trusts nothing, and the user's own commands work all the same.
    if (error instanceof RefusedFileError) return false
    throw error
  }
}

/** Trusts the project's commands exactly as they are; returns their paths, none if there are no files to trust. */
export function trustCommands({ root, stateDir }: Omit<CommandPlaces, 'env'>): readonly string[] {
  const project = readProjectFiles(root)
  if (project.files.length > 0) trust(stateDir, trustKey(root), textOf(project))
  return project.files.map(({ path }) => path)
}

/** The folder of the project's commands. */
export function projectCommandsFolder(root: string): string {
  return join(root, PROJECT_FOLDER_NAME, 'commands')
}

/** Not a path, so that it is never the key of a root. */
function trustKey(root: string): string {
  return `commands of ${root}`
}

/** All that a model could be told by these files, to be trusted as a whole. */
function textOf({ files }: CommandFiles): string {
  return JSON.stringify(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')]))
}

/** A link in its place is not followed: it could lead into a workspace, where tools change files. */
function readUserFiles(env: Environment): CommandFiles {
  const folder = userCommandsFolder(env)
  return readFolder(folder, kindOrMissing(folder) === 'folder')
}

function readProjectFiles(root: string): CommandFiles {
  const folder = projectCommandsFolder(root)
  return readFolder(folder, isRealFolder(root, folder))
}

function readFolder(folder: string, isReal: boolean): CommandFiles {
  if (isReal) return readCommandFiles(folder)
  if (kindOrMissing(folder) === 'missing') return NOTHING
  const why = 'it is a link, behind a link, or not a folder'
  return { files: [], unusable: [{ name: '', path: folder, why }] }
}

/** Makes commands of files; a broken one does not affect the others. */
function sortOut(
  { files, unusable }: CommandFiles,
  from: OwnCommand['from'],
  findFault: (name: string) => string | null,
): OwnCommands {
  const read = files.map((file) => readCommand(file, from, findFault(file.name)))
  return {
    usable: read.filter((one) => 'text' in one),
    unusable: [...unusable, ...read.filter((one) => 'why' in one)],
  }
}

function readCommand(
  { name, path, bytes }: CommandFile,
  from: OwnCommand['from'],
  fault: string | null,
): OwnCommand | UnusableCommand {
  if (fault !== null) return { name, path, why: fault }
  const parsed = parseCommand(bytes)
  if (!parsed.ok) return { name, path, why: parsed.why }
  const { description, argumentHint, text } = parsed
  return { name, description, argumentHint, from, path, text }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
