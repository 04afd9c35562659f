import { failure, ToolFailure } from '../../core/error.ts'
import type { ErrorCode } from '../../core/error.ts'
import { errnoOf } from '../fs/errno.ts'
import type { Resolved, Root } from './root.ts'
import { showPath } from './rel-path.ts'

interface Explanation {
  readonly code: ErrorCode
  readonly why: string
  readonly next: string
}

const CHECK_PATH = 'Check the spelling, or list the folder above it to see what is there.'
const FREE_SPACE = 'Free some space, then try again.'

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ENOENT: failed('it does not exist', CHECK_PATH),
  ENOTDIR: failed('a part of the path is not a folder', CHECK_PATH),
  EISDIR: failed('it is a folder', 'Name a file in it, or list the folder.'),
  EEXIST: failed('something with that name already exists', 'Choose another name, or change what is there.'),
  ENOTEMPTY: failed('the folder is not empty', 'Remove what is in it first.'),
  EACCES: failed('permission denied', 'Ask the owner of the file for access, or work in another folder.'),
  EPERM: failed('the system does not permit it', 'Check the owner and the attributes of the file.'),
  EROFS: failed('the file system is read-only', 'Work in a folder that you can write to.'),
  ELOOP: failed('it is a link where none was expected', 'Name what the link points to.'),
  ENXIO: failed('it is a socket or a device without a driver', 'Only regular files can be opened.'),
  ENODEV: failed('it is a device without a driver', 'Only regular files can be opened.'),
  EIO: failed('the system reported EIO, an input or output error', 'Try again; if it stays, check the disk.'),
  EXDEV: failed('the two paths are on different file systems', 'Write a new file at the other path.'),
  ETXTBSY: failed('the program in it is running', 'Stop the program, then try again.'),
  ENAMETOOLONG: { code: 'bad_args', why: 'the name is too long', next: 'Use a shorter name.' },
  EMFILE: exhausted('this process has too many files open', 'Close some, or raise the limit (ulimit -n).'),
  ENFILE: exhausted('the system has too many files open', 'Try again later.'),
  ENOMEM: exhausted('the system is out of memory', 'Try again later.'),
  ENOSPC: exhausted('the disk is full', FREE_SPACE),
  EDQUOT: exhausted('the disk quota is used up', FREE_SPACE),
}

/** Whether the machine ran out of a resource, rather than this file being at fault. */
export function isExhaustion(error: unknown): boolean {
  return EXPLANATIONS[errnoOf(error) ?? '']?.code === 'resource_exhausted'
}

/** Whether the system failed for now, which says nothing about what it was asked for. */
export function isOutage(error: unknown): boolean {
  return isExhaustion(error) || errnoOf(error) === 'EIO'
}

/** Whether something could not be looked at because of the machine: that says nothing about what is there. */
export function isMachineFault({ error }: ToolFailure): boolean {
  return error.code === 'resource_exhausted' || error.details['errno'] === 'EIO'
}

/** Whether something could not be looked at for want of permission, which does not say what is there either. */
export function isForbidden({ error }: ToolFailure): boolean {
  return error.details['errno'] === 'EACCES' || error.details['errno'] === 'EPERM'
}

/**
 * Where a path leads; null if it leads nowhere, or nowhere that we may look: in a circle, through a file, by a name that is
 * too long. Anyone can make a link to such a path.
 */
export function resolveOrNull(root: Pick<Root, 'resolve'>, path: string): Resolved | null {
  try {
    return root.resolve(path)
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || isMachineFault(thrown)) throw thrown
    return null
  }
}

/** Explains a system error for `rel`; a ToolFailure, or anything that is not a system error, is returned unchanged. */
export function ioFailure(error: unknown, action: string, rel: string): unknown {
  const errno = errnoOf(error)
  if (error instanceof ToolFailure || errno === null) return error
  const where = showPath(rel)
  if (errno === 'ERR_INVALID_ARG_VALUE') {
    return failure(
      'bad_args',
      `Cannot ${action} ${where}: the path contains a NUL character.`,
      { path: where },
      ['Remove it.'],
    )
  }
  const known = EXPLANATIONS[errno]
  const code = known?.code ?? 'execution_failed'
  const message = `Cannot ${action} ${where}: ${known?.why ?? `the system reported ${errno}`}.`
  return failure(code, message, { path: where, errno }, known === undefined ? [] : [known.next])
}

/** The failure for something that exists but is not a regular file. */
export function notRegular(rel: string, what: string): ToolFailure {
  const where = showPath(rel)
  return failure(
    'execution_failed',
    `Cannot open ${where}: it is ${what}, not a regular file.`,
    { path: where },
    ['Only regular files can be read; list the folder to see what is there.'],
  )
}

/** Explains a system error for a path that had been resolved; if links are in the way now, says so. */
function explainChange(
  error: unknown,
  action: string,
  rel: string,
  resolve: (rel: string) => Resolved,
): unknown {
  const errno = errnoOf(error)
  if (errno !== 'ELOOP' && errno !== 'ENOTDIR') return ioFailure(error, action, rel)
  const now = resolve(rel)
  if (!now.isInside) return leadsOutside(rel, now.target)
  return errno === 'ENOTDIR' && now.rel === rel && now.kind !== 'dir'
    ? ioFailure(error, action, rel)
    : changedInUse(rel)
}

/** Returns a function that runs an action on a path below a root and explains system errors. */
export function explainingChanges(resolve: (rel: string) => Resolved) {
  return <T>(action: string, rel: string, run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw explainChange(error, action, rel, resolve)
    }
  }
}

/** The failure for a path that leads elsewhere than when it was checked. */
function changedInUse(rel: string): ToolFailure {
  const where = showPath(rel)
  const message = `${where} changed while in use: a part of it was moved or replaced by a link.`
  return failure('execution_failed', message, { path: where, errno: 'ELOOP' }, [
    'Check the path again, then retry.',
  ])
}

/** The failure for a path that leads out of the root, with the reason if the text of the path alone shows it. */
export function leadsOutside(attempted: string, resolved: string, why?: string): ToolFailure {
  const shown = showPath(attempted)
  return failure(
    'path_outside_sandbox',
    why === undefined
      ? `${shown} leads outside the allowed folders, to ${showPath(resolved)}.`
      : `${shown} is refused: ${why}.`,
    { reason: 'PathOutsideSandbox', attempted: attempted.toWellFormed(), resolved: resolved.toWellFormed() },
    ['Use a path inside the root, relative to it and without "..".'],
  )
}

function failed(why: string, next: string): Explanation {
  return { code: 'execution_failed', why, next }
}

function exhausted(why: string, next: string): Explanation {
  return { code: 'resource_exhausted', why, next }
}
