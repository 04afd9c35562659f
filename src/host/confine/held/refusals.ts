import { failure } from '../../../core/error.ts'
import type { ToolFailure } from '../../../core/error.ts'
import { showPath } from '../../root/rel-path.ts'

/** A command must not start, because a path that it was granted is not what was judged. */
export function grantChanged(path: string): ToolFailure {
  return failure(
    'execution_failed',
    `${showPath(path)} was replaced while the sandbox was set up, so the command did not run.`,
    { path: showPath(path) },
    ['Run it again when nothing else renames or replaces what it is granted.'],
  )
}

/** A command must not start, because what a denied name leads to is not known before it runs. */
export function leadsAnyone(path: string, real: string): ToolFailure {
  const shown = showPath(path)
  return failure(
    'not_allowed',
    `${shown} has a denied name and is a link into ${showPath(real)}, which leads each program elsewhere: what it leads to cannot be hidden, so the command did not run.`,
    { path: shown },
    [`Remove ${shown}, or let it lead to the file by its own path.`],
  )
}

/** A command must not start, because no mount can be put on what a denied name leads to. */
export function cannotHide(path: string, real: string): ToolFailure {
  const shown = showPath(path)
  return failure(
    'not_allowed',
    `What ${shown} leads to is denied and cannot be hidden here, because ${showPath(real)} is not valid UTF-8, so the command did not run.`,
    { path: shown },
    [`Rename ${showPath(real)}, or remove ${shown}.`],
  )
}
