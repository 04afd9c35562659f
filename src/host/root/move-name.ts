import * as fs from 'node:fs'
import { spawnSync } from 'node:child_process'
import type { Buffer } from 'node:buffer'
import { failure, ToolFailure } from '../../core/error.ts'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { errnoOf } from '../fs/errno.ts'
import { systemName } from './exact-name.ts'
import { ioFailure } from './io-failure.ts'
import { folderOf, plainName, showPath } from './rel-path.ts'
import type { Root } from './root.ts'

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
      copyOver(source, target, to.rel)
      fs.unlinkSync(source)
    }
  })
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

const COPIERS = ['/usr/bin/cp', '/bin/cp']

/** Only a program copies times to the nanosecond, and owner, mode and attributes with them. */
function copyOver(source: string | Buffer, target: string | Buffer, rel: string): void {
  const copier = findTrustedProgram(COPIERS)
  const [from, to] = [source, target].map(String)
  const draft = `${to}.tongs-copy`
  const options = ['-a', '--reflink=auto', '--no-target-directory', '--', from ?? '', draft]
  const done = copier === null ? null : spawnSync(copier, options, { stdio: 'ignore' })
  if (done?.status !== 0) {
    fs.rmSync(draft, { force: true })
    throw failure('execution_failed', `Cannot copy ${showPath(rel)} to another file system.`, {
      path: showPath(rel),
      errno: 'EXDEV',
    })
  }
  fs.renameSync(draft, target)
}
