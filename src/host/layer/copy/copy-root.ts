import { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lchownSync,
  mkdirSync,
  openSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { failure } from '../../../core/error.ts'
import { findTrustedProgram } from '../../confine/trusted-program.ts'
import { openRoot } from '../../root/open-root.ts'
import { systemName } from '../../root/exact-name.ts'
import { folderOf, nameOf, showPath } from '../../root/rel-path.ts'
import type { Root } from '../../root/root.ts'
import { keepOwn } from './check-copy.ts'
import { planCopy } from './copy-plan.ts'
import type { CopyLimits, CopyPlan } from './copy-plan.ts'
import { RECORD_FILE, writeRecord } from './copy-record.ts'
import { nameFor } from '../folder-marks.ts'
import { UPPER } from '../layer.ts'
import type { LayerPart } from '../../../core/layer.ts'
import type { RootLook } from '../enter/look.ts'
import { tickAfterNow } from '../open-layer.ts'
import { noteHidden } from '../enter/hidden-names.ts'
import { writeLike } from '../enter/plant-indexes.ts'
import { fillStandIn, writeStandIn } from '../enter/stand-in.ts'
import { isSuperuser } from '../../system/process.ts'
import { tryTo } from '../../system/try-to.ts'
import { removeTree } from '../remove-tree.ts'

const FOLDERS = ['/usr/bin', '/bin', '/run/current-system/sw/bin']
/** How often the copy is begun again if something hidden is renamed meanwhile. */
const MOST_TRIES = 3

function findCopier(name: string): string | null {
  return findTrustedProgram(FOLDERS.map((folder) => join(folder, name)))
}

/** The programs that copy, by their absolute paths; null if one is missing or users other than root can change it. */
export function findCopiers(): { readonly cp: string; readonly xargs: string } | null {
  const [cp, xargs] = [findCopier('cp'), findCopier('xargs')]
  return cp === null || xargs === null ? null : { cp, xargs }
}

/** One root that is copied: a look at it each time the copy is begun. */
export interface CopyRequest {
  readonly part: LayerPart
  readonly root: Root
  readonly look: () => RootLook
  readonly limits: CopyLimits
}

/** A copy that was made: how large it is, and the look at the root that it was made by. */
export interface CopiedRoot {
  readonly bytes: number
  readonly look: RootLook
}

/** Copies a root into the upper folder of a layer, with stand-ins for what is hidden. */
export async function copyRoot({ part, root, look, limits }: CopyRequest): Promise<CopiedRoot> {
  const upper = openRoot(join(part.folder, UPPER))
  try {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const seen = look()
      const plan = planCopy(root, seen, limits)
      await copyPlanned(plan, root, upper)
      for (const step of keepOwn({ root, upper, names: new Set(plan.names) })) await step
      // The content of something hidden may have been copied under another name.
      if (seen.findMoved(root) === null) {
        finishCopy(part, root, upper, { plan, look: seen })
        return { bytes: plan.bytes, look: seen }
      }
      for (const { exactName } of upper.list('')) for (const step of removeTree(upper, exactName)) await step
    }
  } finally {
    upper.close()
  }
  throw copyChanged()
}

/** A command must not start, because what has to be hidden in its copy is not what was looked for. */
export function copyChanged(): Error {
  return failure(
    'execution_failed',
    'The workspace changed while it was copied for the command, so the command did not run.',
    { tries: MOST_TRIES },
    ['Run it again when nothing else renames files in the workspace.'],
  )
}

async function copyPlanned({ whole, partial }: CopyPlan, root: Root, upper: Root): Promise<void> {
  for (const path of partial) upper.mkdir(path, 0o700)
  const copiers = findCopiers()
  if (copiers === null || whole.length === 0) return
  const { cp, xargs } = copiers
  const from = root.lendFolder('', openFolder)
  const to = upper.lendFolder('', openFolder)
  try {
    const copy = [cp, '-a', '-x', '--reflink=auto', '--parents', '-t', '/proc/self/fd/4', '--']
    // What this process has open, another may not be allowed to see, so it gets descriptors of its own.
    const child = spawn(xargs, ['-0', ...copy], {
      cwd: '/proc/self/fd/3',
      env: { LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore', from, to],
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(Buffer.concat(whole.flatMap((path) => [nameFor(path), Buffer.of(0)])))
    // What was not copied is looked at by itself.
    await new Promise((done) => child.once('error', done).once('close', done))
  } finally {
    closeSync(from)
    closeSync(to)
  }
}

function openFolder(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
}

/** Puts stand-ins in place, notes what the copy holds, and makes sure that nothing is missing. */
function finishCopy(
  part: LayerPart,
  root: Root,
  upper: Root,
  { plan, look: { masks, holes, indexes } }: { readonly plan: CopyPlan; readonly look: RootLook },
): void {
  const at = <T>(path: string, use: (path: string | Buffer) => T): T =>
    upper.lendFolder(folderOf(path), (folder) => use(systemName(`${folder}/${nameOf(path)}`)))
  const isFree = (path: string): boolean =>
    upper.stat(folderOf(path))?.kind === 'dir' && upper.stat(path) === null
  for (const { path, isFolder } of holes.filter((hole) => !hole.isInner && isFree(hole.path)))
    at(path, (place) =>
      isFolder ? mkdirSync(place, { mode: 0o555 }) : writeStandIn(place, { size: 0, modifiedMs: 0 }),
    )
  noteHidden(part.folder, masks)
  for (const mask of masks.filter(({ path }) => isFree(path))) {
    at(mask.path, (place) => {
      if (mask.kind === 'file') return writeStandIn(place, mask)
      mkdirSync(place, { mode: 0o700 })
      if (typeof place === 'string') fillStandIn(place, mask)
      chmodSync(place, 0o555)
    })
  }
  for (const { path, bytes, stat } of indexes.filter((one) => upper.stat(one.path)?.kind === 'file')) {
    upper.unlink(path)
    at(path, (place) => writeLike(place, bytes, stat))
  }
  for (const path of plan.names) {
    if (upper.stat(path) !== null) continue
    const stat = root.stat(path)
    // It is gone, or nobody could have shown it to the command.
    if (stat === null) continue
    if (stat.kind !== 'file' || isReadable(root, path)) throw notCopied(path)
    at(path, (place) => writeStandIn(place, stat))
    noteHidden(part.folder, [{ path }])
  }
  for (const path of plan.partial.toReversed()) {
    const stat = root.stat(path)
    if (stat === null) continue
    at(path, (place) => {
      const { uid, gid, mode, modifiedMs } = stat
      if (isSuperuser()) tryTo(() => lchownSync(place, uid, gid))
      chmodSync(place, mode)
      utimesSync(place, modifiedMs / 1000, modifiedMs / 1000)
    })
  }
  const places = holes.map(({ path, isWritable }) => ({ path, isWritable }))
  writeRecord(part.folder, upper, places)
  // What a command changes from now on has a later time.
  tickAfterNow(join(part.folder, RECORD_FILE))
}

function isReadable(root: Root, path: string): boolean {
  return root.lendFolder(folderOf(path), (folder) => {
    try {
      accessSync(systemName(`${folder}/${nameOf(path)}`), constants.R_OK)
      return true
    } catch {
      return false
    }
  })
}

function notCopied(path: string): Error {
  return failure(
    'execution_failed',
    `Cannot copy ${showPath(path)} for the command, so the command did not run.`,
    { path: showPath(path) },
    ['Check the free space and the length of the path, or set tools.shell.layer = "off".'],
  )
}
