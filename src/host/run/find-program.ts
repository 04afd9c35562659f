import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, normalize } from 'node:path'
import { readPlainFile } from '../fs/plain-file.ts'
import { digest } from '../system/hash.ts'

/** The file that a word would start. */
export interface ProgramFile {
  /** Absolute, with every link followed as far as that is possible. */
  readonly path: string
  /** Changes with the file; null if there is none, or it is not looked into. */
  readonly stamp: string | null
}

/** Where a program is looked up. */
export interface ProgramLookup {
  /** Absolute; relative words and relative folders of PATH start there. */
  readonly cwd: string
  /** The value of PATH. */
  readonly path: string
  /** Whether a file is part of the work, so that its content may change. */
  readonly mayChange: (path: string) => boolean
}

/** Larger programs are told apart by their size and time. */
const MAX_READ_BYTES = 4 * 1024 ** 2

/** The file that a word starts, as an operating system looks it up; null if PATH has no such program. */
export function findProgram(word: string, lookup: ProgramLookup): ProgramFile | null {
  return findIn(word, lookup, () => true)
}

/** The same for each of several words. Of very many, each is not looked for in each folder of PATH. */
export function findPrograms(
  words: readonly string[],
  lookup: ProgramLookup,
): readonly (ProgramFile | null)[] {
  const different = new Set(words)
  const mayHold = different.size > FEW_WORDS ? nameFolders() : () => true
  const found = new Map([...different].map((word) => [word, findIn(word, lookup, mayHold)]))
  return words.map((word) => found.get(word) ?? null)
}

/** For fewer, looking for each takes less than reading the folders. */
const FEW_WORDS = 50

/** Whether a folder may have a name, by reading it once; one that cannot be read may have any. */
function nameFolders(): (folder: string, name: string) => boolean {
  const known = new Map<string, ReadonlySet<string> | null>()
  return (folder, name) => {
    const cached = known.get(folder)
    const names = cached === undefined ? readNames(folder) : cached
    known.set(folder, names)
    return names === null || names.has(name)
  }
}

function readNames(folder: string): ReadonlySet<string> | null {
  try {
    return new Set(readdirSync(folder))
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? new Set() : null
  }
}

function findIn(
  word: string,
  { cwd, path, mayChange }: ProgramLookup,
  mayHold: (folder: string, name: string) => boolean,
): ProgramFile | null {
  if (word === '') return null
  const found = word.includes('/')
    ? isAbsolute(word)
      ? normalize(word)
      : join(cwd, word)
    : path
        .split(delimiter)
        .map((folder) => (isAbsolute(folder) ? folder : join(cwd, folder)))
        .filter((folder) => mayHold(folder, word))
        .map((folder) => join(folder, word))
        .find(isProgram)
  if (found === undefined) return null
  // Most of very many words name nothing, and an error would cost more than this look.
  if (!isThere(found)) return { path: found, stamp: null }
  const real = realPathOrSelf(found)
  return { path: real, stamp: mayChange(real) ? null : stampOf(real) }
}

/**
 * The programs in a folder that are found there instead of elsewhere on PATH once the folder comes first, by name and with
 * the files behind them.
 */
export function findReplacing(folder: string, path: string): readonly (readonly [string, string])[] {
  const others = path.split(delimiter).filter((other) => isAbsolute(other) && other !== folder)
  const mayHold = nameFolders()
  const isInOther = (name: string): boolean =>
    others.some((other) => mayHold(other, name) && isProgram(join(other, name)))
  return namesIn(folder)
    .filter((name) => isInOther(name) && isProgram(join(folder, name)))
    .map((name) => [name, realPathOrSelf(join(folder, name))])
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

function isProgram(path: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function realPathOrSelf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function stampOf(path: string): string | null {
  try {
    const { size, mtimeNs } = statSync(path, { bigint: true })
    const read = size <= MAX_READ_BYTES ? readPlainFile(path, 'own', MAX_READ_BYTES) : null
    return read?.is === 'read' ? digest(read.bytes) : `${size} bytes, ${mtimeNs}`
  } catch {
    return null
  }
}
