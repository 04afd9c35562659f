import * as fs from 'node:fs'
import { constants as osConstants } from 'node:os'
import { spawnSync } from 'node:child_process'
import type { Buffer } from 'node:buffer'
import { failure, ToolFailure } from '../../core/error.ts'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { errnoOf } from '../fs/errno.ts'
import { systemName } from './exact-name.ts'
import { ioFailure } from './io-failure.ts'
import { openAgain } from './linux/linux-folder.ts'
import { nativeSource } from '../native/load-native.ts'
import { NO_FOLDER } from '../native/native.ts'
import { digest } from '../system/hash.ts'
import { folderOf, joinRel, plainName, showPath } from './rel-path.ts'
import type { PlaceEnd, Root } from './root.ts'

/** A name below an open folder. */
export interface Spot {
  readonly root: Root
  readonly rel: string
}

/**
 * Moves a file or link from one root to another, with its times, owner and attributes, and replaces what is there. Where
 * the two are on different file systems it is copied. `isFree` says that the other name was free just now.
 */
export function moveName(from: Spot, to: Spot, isFree = false): void {
  between('move', from, to, (source, target) => {
    if (!isFree && isSameFile(source, target)) return fs.unlinkSync(source)
    try {
      fs.renameSync(source, target)
    } catch (error) {
      if (errnoOf(error) !== 'EXDEV') throw error
      copyOver(source, to)
      fs.unlinkSync(source)
    }
  })
}

/**
 * Moves a file or link to a name in another root that must be free, in one step of the system. Nothing has happened unless
 * it is done; not every system and file system can.
 */
export function moveToFree(from: Spot, to: Spot): PlaceEnd {
  return between('move', from, to, (source, target): PlaceEnd => {
    if (!isWhole(source) || !isWhole(target)) return 'not possible'
    const [one, other] = [
      { folder: NO_FOLDER, name: source },
      { folder: NO_FOLDER, name: target },
    ] as const
    const errno = nativeSource()('needed')?.rename(one, other, 'new')
    if (errno === 0) return 'done'
    return errno === osConstants.errno.EEXIST ? 'taken' : 'not possible'
  })
}

/** Whether native code takes a path as it is. */
function isWhole(path: string | Buffer): path is string {
  return typeof path === 'string' && !path.includes('\0')
}

/** The errors that mean that a second name is not possible here. */
const NO_LINK = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'])

/** Gives a file or link a second name in another root, in place of what has that name; false if that is not possible. */
export function linkName(from: Spot, to: Spot): boolean {
  return between('link', from, to, (source, target) => {
    if (isSameFile(source, target)) return true
    try {
      fs.rmSync(target, { force: true })
      fs.linkSync(source, target)
      return true
    } catch (error) {
      if (NO_LINK.has(errnoOf(error) ?? '')) return false
      throw error
    }
  })
}

/** Creates a link. */
export function createLink({ root, rel }: Spot, target: string): void {
  at('create', { root, rel }, (path) => fs.symlinkSync(systemName(target), path))
}

/** Gives a link to its owner. */
export function setLinkOwner(spot: Spot, uid: number, gid: number): void {
  at('set the owner of', spot, (path) => fs.lchownSync(path, uid, gid))
}

/** Sets the mode of a folder itself. */
export function setFolderMode({ root, rel }: Spot, mode: number): void {
  inFolder('set the mode of', { root, rel }, (path) => fs.chmodSync(path, mode))
}

/** Gives a folder to its owner. */
export function setFolderOwner({ root, rel }: Spot, uid: number, gid: number): void {
  inFolder('set the owner of', { root, rel }, (path) => fs.chownSync(path, uid, gid))
}

function inFolder(action: string, { root, rel }: Spot, use: (path: string) => void): void {
  root.lendFolder(rel, (path) => explain(action, rel, () => use(path)))
}

function at<T>(action: string, { root, rel }: Spot, use: (path: string | Buffer) => T): T {
  return root.lendFolder(folderOf(rel), (folder) =>
    explain(action, rel, () => use(systemName(`${folder}/${plainName(rel)}`))),
  )
}

function between<T>(
  action: string,
  from: Spot,
  to: Spot,
  use: (source: string | Buffer, target: string | Buffer) => T,
): T {
  return at(action, from, (source) => at(`${action} to`, to, (target) => use(source, target)))
}

function explain<T>(action: string, rel: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    throw error instanceof ToolFailure ? error : ioFailure(error, action, rel)
  }
}

/** Most often the other name is free, which is all that is looked at then. */
function isSameFile(one: string | Buffer, other: string | Buffer): boolean {
  const second = fs.lstatSync(other, { throwIfNoEntry: false })
  if (second === undefined) return false
  const first = fs.lstatSync(one)
  return first.ino === second.ino && first.dev === second.dev
}

const COPIERS = ['/usr/bin/cp', '/bin/cp', '/run/current-system/sw/bin/cp']

/**
 * Copies a file or link with its times, owner and attributes to a name in another root, and flushes it to disk; replaces
 * what is there in one step. An error names it as `shown`.
 */
export function copyName(from: Spot, to: Spot, shown = to.rel): void {
  between('copy', from, to, (source) => copyOver(source, to, shown))
}

const DRAFT_CHARS = 16

/** The name of a copy until it is whole; the same in every attempt, so that none is left of one that was interrupted. */
export function copyDraftOf(rel: string): string {
  return joinRel(folderOf(rel), `.tongs-copy-${digest(plainName(rel)).slice(0, DRAFT_CHARS)}`)
}

function copyOver(source: string | Buffer, { root, rel }: Spot, shown = rel): void {
  const draft = plainName(copyDraftOf(rel))
  root.lendFolder(folderOf(rel), (folder) => {
    const path = `${folder}/${draft}`
    fs.rmSync(path, { force: true })
    try {
      if (fs.lstatSync(source).isSymbolicLink()) copyLink(source, { folder, draft })
      else copyFile(source, { folder, draft }, shown)
      fs.renameSync(path, systemName(`${folder}/${plainName(rel)}`))
    } catch (error) {
      fs.rmSync(path, { force: true })
      throw error
    }
  })
}

/** A name in an open folder. */
interface Draft {
  readonly folder: string
  readonly draft: string
}

function copyLink(source: string | Buffer, { folder, draft }: Draft): void {
  const path = `${folder}/${draft}`
  const { uid, gid, atime, mtime } = fs.lstatSync(source)
  const { mtimeNs } = fs.lstatSync(source, { bigint: true })
  fs.symlinkSync(fs.readlinkSync(source, { encoding: 'buffer' }), path)
  const made = fs.lstatSync(path)
  if (made.uid !== uid || made.gid !== gid) fs.lchownSync(path, uid, gid)
  fs.lutimesSync(path, atime, mtime)
  if (fs.lstatSync(path, { bigint: true }).mtimeNs !== mtimeNs) setExactTime({ folder, draft }, mtimeNs)
}

const TOUCHERS = ['/usr/bin/touch', '/bin/touch', '/run/current-system/sw/bin/touch']
const NANOSECONDS = 9

/** Node sets times as fractions that miss the nanosecond. Where there is no program that can, that has to do. */
function setExactTime({ folder, draft }: Draft, timeNs: bigint): void {
  const toucher = findTrustedProgram(TOUCHERS)
  if (toucher === null) return
  const digits = String(timeNs < 0n ? -timeNs : timeNs).padStart(NANOSECONDS + 1, '0')
  const seconds = `${timeNs < 0n ? '-' : ''}${digits.slice(0, -NANOSECONDS)}.${digits.slice(-NANOSECONDS)}`
  // The folder may be one that can be written to but not read.
  const within = openAgain(folder)
  try {
    const words = ['-h', '-c', '-m', '-d', `@${seconds}`, '--', `/proc/self/fd/3/${draft}`]
    spawnSync(toucher, words, { env: { LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'ignore', within] })
  } finally {
    fs.closeSync(within)
  }
}

/** Only a program copies times to the nanosecond, and attributes with them. It gets descriptors, as names are bytes. */
function copyFile(source: string | Buffer, { folder, draft }: Draft, shown: string): void {
  const copier = findTrustedProgram(COPIERS)
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants
  const from = fs.openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const to = fs.openSync(folder, O_RDONLY | O_DIRECTORY)
  try {
    const options = ['-L', '--preserve=all', '--reflink=auto', '--sparse=auto', '--no-target-directory', '--']
    const words = [...options, '/proc/self/fd/3', `/proc/self/fd/4/${draft}`]
    const stdio = ['ignore', 'ignore', 'pipe', from, to] as const
    const env = { LC_ALL: 'C' }
    const done =
      copier === null ? null : spawnSync(copier, words, { env, stdio: [...stdio], encoding: 'utf8' })
    if (done?.status !== 0) throw notCopied(shown, done?.stderr ?? '')
  } finally {
    fs.closeSync(from)
    fs.closeSync(to)
  }
  const made = fs.openSync(`${folder}/${draft}`, fs.constants.O_RDONLY)
  try {
    fs.fsyncSync(made)
  } finally {
    fs.closeSync(made)
  }
}

function notCopied(rel: string, said: string): ToolFailure {
  const path = showPath(rel)
  if (/No space left|quota/i.test(said))
    return failure('resource_exhausted', `There is no space left to copy ${path} to another file system.`, {
      path,
      errno: 'ENOSPC',
    })
  return failure('execution_failed', `Cannot copy ${path} to another file system.`, { path, errno: 'EXDEV' })
}
