import { dirname, normalize } from 'node:path'
import { withoutEndSlashes } from '../../core/text/trim-end.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { expandHome } from '../../host/fs/follow-path.ts'
import { findPlace } from '../../host/confine/held/held-place.ts'
import type { HeldPlace } from '../../host/confine/held/held-place.ts'
import { isBelow, isTooWide } from '../../host/confine/mount.ts'
import { findGitPlace, findGitPlaces } from '../../host/git/git-places.ts'
import { showPath } from '../../host/root/rel-path.ts'
import type { OwnPath } from '../../workspace/sandbox/own-paths.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { sharedGitAround } from './shared-git.ts'

/** Where a requested path leads, or why it cannot be granted. */
export type PathGrant =
  | ({ readonly ok: true } & GrantedPlace)
  | { readonly ok: false; readonly error: ToolError }

/** What is granted: this file or folder, and not what takes its name later. */
export interface GrantedPlace extends HeldPlace {
  readonly kind: 'file' | 'folder'
}

/** What decisions about extra access depend on. */
export interface PathGrantDeps {
  readonly workspace: Workspace
  readonly home: string
  /** Our own places: a command that could change them could approve itself. */
  readonly own: readonly OwnPath[]
  /** The folder of the runner's files that live for a moment. */
  readonly runnerPlace: () => string
}

/** System folders that do not hold ordinary files, or that lead out of a sandbox. */
const NEVER = ['/proc', '/sys', '/dev', '/run', '/var/run', '/boot']

/** Judges a path that a call requests for its command. A denied path stays denied, even with a person's approval. */
export function judgePathGrant(path: string, intent: 'read' | 'write', deps: PathGrantDeps): PathGrant {
  const shown = showPath(path)
  const expanded = expandHome(path, deps.home)
  if (!expanded.startsWith('/') || /\p{Cc}/u.test(expanded) || expanded.split('/').includes('..'))
    return refuse('bad_args', `${shown} must be an absolute path or start with ~/, without "..".`, path)
  const named = withoutEndSlashes(normalize(expanded))
  const place = findPlace(named)
  const real = place?.real ?? null
  const pattern =
    deps.workspace.denyOutside(named) ?? (real === null ? null : deps.workspace.denyOutside(real))
  if (pattern !== null)
    return refuse(
      'denied_pattern',
      `${shown} is denied by the pattern ${pattern}, and cannot be granted to a command.`,
      path,
    )
  const found = place?.kind
  if (real === null || place === null || (found !== 'file' && found !== 'folder'))
    return refuse('bad_args', `There is no file or folder ${shown} to grant.`, path)
  if (!real.isWellFormed())
    return refuse('bad_args', `${shown} leads to ${showPath(real)}, whose name is not valid UTF-8.`, path)
  if (isTooWide(real) || isBelow(deps.home, real))
    return refuse(
      'not_allowed',
      `Granting all of ${shown} would defeat the sandbox. Ask for the folder that is needed.`,
      path,
    )
  if (NEVER.some((never) => isBelow(real, never)))
    return refuse('not_allowed', `${shown} belongs to the system and is never granted to a command.`, path)
  const isOurs = deps.own.some(
    ({ path: own, as }) =>
      (intent === 'write' || as === 'hidden') &&
      ((as !== 'link' && isBelow(real, own)) || isBelow(own, real)),
  )
  if (isOurs || (intent === 'write' && isBelow(deps.runnerPlace(), real)))
    return refuse(
      'not_allowed',
      `${shown} holds records or settings of Tongs and is never granted to a command.`,
      path,
    )
  // The sandbox goes on protecting what decides over git in it.
  if (intent === 'write' && sharedGitAround(real, deps.workspace, deps.home) === real)
    return { ok: true, ...place, kind: 'folder' }
  if (intent === 'write' && real.split('/').includes('.git'))
    return refuse('not_allowed', `${shown} controls what git does and must not be written.`, path)
  const git =
    intent === 'write' ? findGitPlaces(['/'], found === 'file' ? dirname(real) : real, deps.home) : null
  if (git?.ok === false)
    return refuse('not_allowed', `It is unknown what git would run at ${shown}: ${git.why}.`, path)
  const gits = git === null ? null : findGitPlace(git, real)
  if (gits !== null) return refuse('not_allowed', `${shown} must not be written: ${gits.why}.`, path)
  return { ok: true, ...place, kind: found }
}

function refuse(
  code: 'bad_args' | 'denied_pattern' | 'not_allowed',
  message: string,
  path: string,
): PathGrant {
  return { ok: false, error: toolError(code, message, { path }) }
}
