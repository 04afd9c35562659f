import { join, normalize } from 'node:path'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { kindOrMissing, realPathOf } from '../../host/confine/inspect-path.ts'
import { isBelow, isTooWide } from '../../host/confine/mount.ts'
import { showPath } from '../../host/root/rel-path.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** Where a wished path leads, or why no command gets it. */
export type PathGrant =
  | { readonly ok: true; readonly real: string; readonly kind: 'file' | 'folder' }
  | { readonly ok: false; readonly error: ToolError }

/** What decides about extra access. */
export interface PathGrantDeps {
  readonly workspace: Workspace
  readonly home: string
  /** Our own folders: a command that could change them would judge itself. */
  readonly own: readonly string[]
}

/** Parts of the system that are no files, or that open doors out of a sandbox. */
const NEVER = ['/proc', '/sys', '/dev', '/run', '/var/run', '/boot']

/** Judges a path that a call wants for its command. What is denied stays denied, whoever would agree. */
export function judgePathGrant(path: string, intent: 'read' | 'write', deps: PathGrantDeps): PathGrant {
  const shown = showPath(path)
  const expanded = path === '~' || path.startsWith('~/') ? join(deps.home, path.slice(1)) : path
  if (!expanded.startsWith('/') || /\p{Cc}/u.test(expanded) || expanded.split('/').includes('..'))
    return refuse(
      'bad_args',
      `${shown} has to be an absolute path, or one that begins with ~/, without "..".`,
      path,
    )
  const named = normalize(expanded).replace(/(.)\/+$/, '$1')
  const real = realPathOf(named)
  const pattern =
    deps.workspace.denyOutside(named) ?? (real === null ? null : deps.workspace.denyOutside(real))
  if (pattern !== null)
    return refuse(
      'denied_pattern',
      `${shown} is denied by the pattern ${pattern}, and nobody can grant it to a command.`,
      path,
    )
  const found = real === null ? 'missing' : kindOrMissing(real)
  if (real === null || (found !== 'file' && found !== 'folder'))
    return refuse('bad_args', `There is no file or folder ${shown} that could be granted.`, path)
  if (isTooWide(real) || isBelow(deps.home, real))
    return refuse(
      'not_allowed',
      `A sandbox that shows all of ${shown} would be none. Ask for the folder that is needed.`,
      path,
    )
  if (NEVER.some((place) => isBelow(real, place)))
    return refuse('not_allowed', `${shown} belongs to the system and is never granted to a command.`, path)
  if (deps.own.some((own) => isBelow(real, own) || isBelow(own, real)))
    return refuse(
      'not_allowed',
      `${shown} is where Tongs keeps its own records or settings, which no command gets.`,
      path,
    )
  if (intent === 'write' && real.split('/').includes('.git'))
    return refuse('not_allowed', `${shown} decides what git does, and is not to be written.`, path)
  return { ok: true, real, kind: found }
}

function refuse(
  code: 'bad_args' | 'denied_pattern' | 'not_allowed',
  message: string,
  path: string,
): PathGrant {
  return { ok: false, error: toolError(code, message, { path }) }
}
