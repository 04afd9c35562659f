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
export function findProgram(word: string, { cwd, path, mayChange }: ProgramLookup): ProgramFile | null {
  const found = word.includes('/')
    ? isAbsolute(word)
      ? normalize(word)
      : join(cwd, word)
    : path
        .split(delimiter)
        .map((folder) => (isAbsolute(folder) ? join(folder, word) : join(cwd, folder, word)))
        .find(isProgram)
  if (found === undefined || word === '') return null
  const real = realPathOrSelf(found)
  return { path: real, stamp: mayChange(real) ? null : stampOf(real) }
}

/**
 * The programs in a folder that are found there instead of elsewhere on PATH once the folder comes first, by name and with
 * the files behind them.
 */
export function findReplacing(folder: string, path: string): readonly (readonly [string, string])[] {
  const others = path.split(delimiter).filter((other) => isAbsolute(other) && other !== folder)
  return namesIn(folder)
    .filter((name) => isProgram(join(folder, name)) && others.some((other) => isProgram(join(other, name))))
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
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
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
