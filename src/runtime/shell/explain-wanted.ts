import { dirname, resolve } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { SpawnRequest, MissingAccess } from '../../core/powers.ts'
import type { Confinement } from '../../host/confine/confinement.ts'
import { isBelow } from '../../host/confine/mount.ts'
import { findBlockedAccess } from '../../host/confine/find-blocked-access.ts'
import { explainGroup } from '../../host/layer/enter/other-groups.ts'
import type { RunEnd } from '../../host/run/run-request.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { fromRoot } from '../../host/root/from-root.ts'
import type { PathGrant } from './granted-paths.ts'

interface WantedDeps {
  readonly settings: Settings
  readonly workspace: Workspace
  readonly judge: (path: string, intent: 'read' | 'write') => PathGrant
  /** The folder of git outside the roots that a path lies in, or null. */
  readonly sharedGitAround: (path: string) => string | null
}

/** What a command that failed in its sandbox seems to need, and how a new call can ask for it. */
export function explainWanted(
  end: RunEnd,
  { level, hasNetwork }: Confinement,
  { extraAccess, cwd = '.' }: SpawnRequest,
  { settings, workspace, judge, sharedGitAround }: WantedDeps,
): MissingAccess | null {
  if (end.refused.length > 0) {
    const shown = end.refused.slice(0, MOST_REFUSED).map((refused) => describeRefused(refused, workspace))
    const rest = end.refused.length - shown.length
    return { says: [...shown, ...(rest > 0 ? [`So were ${rest} more.`] : [])].join(' '), grant: null }
  }
  if (level !== 'bwrap' && level !== 'seatbelt') return null
  if (end.exitCode === 0 || end.isTimedOut || end.isCancelled) return null
  const group = explainGroup(`${end.stderr}\n${end.stdout}`, resolve(workspace.roots[0] ?? '/', cwd))
  if (group !== null) return { says: group, grant: null }
  const roots = [...workspace.roots, ...(extraAccess?.read ?? []), ...(extraAccess?.write ?? [])]
  const wanted =
    findBlockedAccess(end.stderr, { hasNetwork, roots }) ??
    findBlockedAccess(end.stdout, { hasNetwork, roots })
  if (wanted === null) return null
  if (wanted.kind === 'socket') {
    const says = 'It seems to need a local socket, for example for tmux or a display; the sandbox has none.'
    return { says: `${says} A person has to run such a command.`, grant: null }
  }
  if (wanted.kind === 'network') {
    const says = 'It seems to need network access, which commands do not have.'
    if (settings['tools.shell.network'] === 'never')
      return { says: `${says} tools.shell.network is never, so it cannot be granted.`, grant: null }
    return { says: `${says} ${HOW_TO_ASK}`, grant: { network: true } }
  }
  const { kind } = wanted
  const shared = kind === 'write' ? sharedGitAround(wanted.path) : null
  const path = shared ?? placeOf(wanted.path, kind, judge)
  const answer = judge(path, kind)
  // A path that does not exist outside the sandbox either was not blocked by it.
  if (!answer.ok && answer.error.code === 'bad_args') return null
  const says = `It seems to need to ${kind} ${wanted.path}, which is outside its sandbox.`
  if (!answer.ok) return { says: `${says} ${answer.error.message}`, grant: null }
  if (settings['tools.shell.paths'] === 'never')
    return { says: `${says} tools.shell.paths is never, so it cannot be granted.`, grant: null }
  return { says: `${says} ${HOW_TO_ASK}`, grant: kind === 'read' ? { read: [path] } : { write: [path] } }
}

/** Says why a command was stopped; the command itself cannot know. */
function describeRefused(
  { path, movedTo, why: cause, isPutBack, isLate = false }: RunEnd['refused'][number],
  { own, roots }: Workspace,
): string {
  const place = fromRoot(path, roots)
  const isOurs = own.some((one) => isBelow(one.path, path))
  const why = isOurs ? 'Sandboxed commands may not create settings of Tongs.' : cause
  if (isPutBack !== undefined) {
    const now = isPutBack ? 'is back in its place' : 'could not be put back: make it again before git is used'
    return `${why} It was stopped when it removed ${place}, which ${now}.`
  }
  const what =
    movedTo === null
      ? ' It could not be moved away and is still there: remove it before anything uses it.'
      : ` What it created was moved to ${fromRoot(movedTo, roots)}.`
  return isLate
    ? `${why} It created ${place}.${what}`
    : `${why} It was stopped when it created ${place}.${what}`
}

/** A command can make any number of them. */
const MOST_REFUSED = 8
const HOW_TO_ASK = 'Make a new call that adds the arguments in grant; it needs approval.'

/** A file to be written need not exist yet, but its folder must. */
function placeOf(path: string, kind: 'read' | 'write', judge: WantedDeps['judge']): string {
  if (kind === 'read') return path
  const answer = judge(path, 'write')
  return !answer.ok && answer.error.code === 'bad_args' ? dirname(path) : path
}
