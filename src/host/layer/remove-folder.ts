import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { failure, ToolFailure } from '../../core/error.ts'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { errnoOf } from '../fs/errno.ts'
import { OLD, UPPER } from './layer.ts'
import { GONE_PREFIX } from './layer-names.ts'

const REMOVER = ['/usr/bin/rm', '/bin/rm', '/run/current-system/sw/bin/rm']
const FINDER = ['/usr/bin/find', '/bin/find', '/run/current-system/sw/bin/find']
const CHANGER = ['/usr/bin/chmod', '/bin/chmod', '/run/current-system/sw/bin/chmod']

/** `given up` if only the journal says whether it is needed; `unremoved` if it was to be removed and could not be. */
type LeftState = 'given up' | 'unremoved'

/**
 * Folders of layers that no call of this process uses any more. Their owner is still running, so nothing else tells that
 * they may be left behind.
 */
const left = new Map<string, LeftState>()

/** Notes that no call uses a folder any more, although what became of its call could not be recorded. */
export function noteGivenUp(folder: string): void {
  if (!left.has(folder)) left.set(folder, 'given up')
}

/** Notes that a folder was to be removed and could not be. */
function noteUnremoved(folder: string): void {
  left.set(folder, 'unremoved')
}

/** Notes that a folder is gone. */
function noteRemoved(folder: string): void {
  left.delete(folder)
}

/** How this process left a folder; null if it did not. */
export function leftStateOf(folder: string): LeftState | null {
  return left.get(folder) ?? null
}

/** The names of what this process left in a place. */
export function namesLeftIn(place: string): readonly string[] {
  return [...left.keys()].filter((folder) => dirname(folder) === place).map((folder) => basename(folder))
}

/**
 * Removes a folder of layers with everything in it, without blocking this process. It loses its name first, so that
 * nothing takes half of it for a layer. Links are removed and never followed.
 */
export async function removeFolder(folder: string): Promise<void> {
  const gone = join(dirname(folder), `${GONE_PREFIX}${randomUUID()}`)
  try {
    renameSync(folder, gone)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return noteRemoved(folder)
    noteUnremoved(folder)
    throw error
  }
  noteRemoved(folder)
  if (!(await removeBare(gone))) await removeGone(gone)
}

/** What cannot be removed must not keep commands from running, or take their results; the next sweep tries again. */
export async function unlessFailing(removing: Promise<void>): Promise<void> {
  try {
    await removing
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) && errnoOf(thrown) === null) throw thrown
  }
}

/** Removes a folder of layers that nothing has used yet; if that fails too, it is left to the next sweep. */
export function removeNew(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    noteUnremoved(folder)
  }
}

/**
 * Removes a folder of layers on which nothing was left, without another process; false if something was. In threads of
 * the system, because freeing a folder that was used waits for the disk. No process of the command is left, and nothing
 * else knows the name.
 */
async function removeBare(gone: string): Promise<boolean> {
  try {
    for (const part of await readdir(gone, { withFileTypes: true }))
      if (part.isDirectory()) for (const name of LARGE) await rmdir(join(gone, part.name, name))
    await rm(gone, { recursive: true })
    return true
  } catch (error) {
    // Whatever was in the way, the removal with other processes deals with it.
    if (errnoOf(error) !== null) return false
    throw error
  }
}

/** The folders of a part that may hold many names; as long as they are empty, the others hold few. */
const LARGE = [UPPER, OLD]

/** Removes a folder that has lost its name already. */
export async function removeGone(gone: string): Promise<void> {
  try {
    await removeClosed(gone)
  } catch (error) {
    noteUnremoved(gone)
    throw error
  }
  noteRemoved(gone)
}

async function removeClosed(gone: string): Promise<void> {
  if (await run(REMOVER, ['-rf', '--', gone])) return
  // Overlayfs and commands leave folders behind that not even their owner may enter.
  const change = findTrustedProgram(CHANGER)
  const isClosed = ['-type', 'd', '!', '-perm', '-0700', '-exec', change ?? '', 'u+rwx', '{}', ';']
  await run(FINDER, ['-P', gone, ...isClosed])
  await run(REMOVER, ['-rf', '--', gone])
  if (lstatSync(gone, { throwIfNoEntry: false }) !== undefined)
    throw failure('execution_failed', `Cannot remove the layer ${gone}.`, { path: gone }, [
      'Remove it by hand.',
    ])
}

function run(candidates: readonly string[], args: readonly string[]): Promise<boolean> {
  const program = findTrustedProgram(candidates)
  if (program === null) return Promise.resolve(false)
  return new Promise((done) => {
    execFile(program, args, { cwd: '/', env: { LC_ALL: 'C' } }, (error) => done(error === null))
  })
}
