import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { lstatSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { failure } from '../../core/error.ts'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { errnoOf } from '../fs/errno.ts'
import { GONE_PREFIX } from './layer-names.ts'

const REMOVER = ['/usr/bin/rm', '/bin/rm', '/run/current-system/sw/bin/rm']
const FINDER = ['/usr/bin/find', '/bin/find', '/run/current-system/sw/bin/find']
const CHANGER = ['/usr/bin/chmod', '/bin/chmod', '/run/current-system/sw/bin/chmod']

/**
 * Removes a folder of layers with everything in it, without blocking this process. It loses its name first, so that
 * nothing takes half of it for a layer. Links are removed and never followed.
 */
export async function removeFolder(folder: string): Promise<void> {
  const gone = join(dirname(folder), `${GONE_PREFIX}${randomUUID()}`)
  try {
    renameSync(folder, gone)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return
    throw error
  }
  await removeGone(gone)
}

/** Removes a folder that has lost its name already. */
export async function removeGone(gone: string): Promise<void> {
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
