import { closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { errnoOf } from './errno.ts'
import { platform } from '../system/platform.ts'

/** A handle that only names a folder: it needs no rights in it. */
const O_PATH = 0o10_000_000
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW

/**
 * Lends a folder below a base, opened folder by folder from there, as a path that leads to it whatever its name leads to
 * by now. Null if it is not below the base, or if a link or something else is in the place of a folder on the way. Where
 * the system shows no descriptors, the name itself is lent.
 */
export function lendFolderBelow<T>(base: string, folder: string, use: (path: string) => T): T | null {
  const below = relative(base, folder)
  const parts = below === '' ? [] : below.split('/')
  if (parts.includes('..')) return null
  if (platform !== 'linux') return use(folder)
  let fd = open(base)
  try {
    for (const part of parts) {
      if (fd === null) return null
      const next = open(`/proc/self/fd/${fd}/${part}`)
      closeSync(fd)
      fd = next
    }
    return fd === null ? null : use(`/proc/self/fd/${fd}`)
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

/** Makes a folder below a base, with those above it; false if a link or a file is in the place of one of them. */
export function makeFolderBelow(base: string, folder: string): boolean {
  const names = relative(base, folder).split('/')
  return names.every((_name, index) => {
    const path = join(base, ...names.slice(0, index + 1))
    const isMade = lendFolderBelow(base, dirname(path), (above) => {
      try {
        mkdirSync(join(above, basename(path)))
        return true
      } catch (error) {
        return errnoOf(error) === 'EEXIST'
      }
    })
    return isMade === true
  })
}

function open(path: string): number | null {
  try {
    return openSync(path, FLAGS)
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}
