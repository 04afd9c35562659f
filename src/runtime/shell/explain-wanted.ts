import { dirname } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { SpawnRequest, MissingAccess } from '../../core/powers.ts'
import type { Confinement } from '../../host/confine/confinement.ts'
import { findBlockedAccess } from '../../host/confine/find-blocked-access.ts'
import type { RunEnd } from '../../host/run/run-request.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { PathGrant } from './granted-paths.ts'

interface WantedDeps {
  readonly settings: Settings
  readonly workspace: Workspace
  readonly judge: (path: string, intent: 'read' | 'write') => PathGrant
}

/** What a command that failed in its sandbox seems to have wanted, and how a new call can ask for it. */
export function explainWanted(
  end: RunEnd,
  { level, hasNetwork }: Confinement,
  { extraAccess }: SpawnRequest,
  { settings, workspace, judge }: WantedDeps,
): MissingAccess | null {
  if (end.refused.length > 0) return { says: end.refused.map(describeRefused).join(' '), grant: null }
  if (level !== 'bwrap' && level !== 'seatbelt') return null
  if (end.exitCode === 0 || end.isTimedOut || end.isCancelled) return null
  const roots = [...workspace.roots, ...(extraAccess?.read ?? []), ...(extraAccess?.write ?? [])]
  const wanted =
    findBlockedAccess(end.stderr, { hasNetwork, roots }) ??
    findBlockedAccess(end.stdout, { hasNetwork, roots })
  if (wanted === null) return null
  if (wanted.kind === 'socket') {
    const says =
      'It seems to have wanted a local socket, as for tmux or a display; in the sandbox there are none.'
    return { says: `${says} What needs one has to be run by a person.`, grant: null }
  }
  if (wanted.kind === 'network') {
    const says = 'It seems to have wanted network, which a command does not have.'
    if (settings['tools.shell.network'] === 'never')
      return { says: `${says} tools.shell.network is never, so nobody can grant it.`, grant: null }
    return { says: `${says} ${HOW_TO_ASK}`, grant: { network: true } }
  }
  const { kind } = wanted
  const path = placeOf(wanted.path, kind, judge)
  const answer = judge(path, kind)
  // What is not there outside either was not kept away by the sandbox.
  if (!answer.ok && answer.error.code === 'bad_args') return null
  const says = `It seems to have wanted to ${kind} ${wanted.path}, which lies outside its sandbox.`
  if (!answer.ok) return { says: `${says} ${answer.error.message}`, grant: null }
  if (settings['tools.shell.paths'] === 'never')
    return { says: `${says} tools.shell.paths is never, so nobody can grant it.`, grant: null }
  return { says: `${says} ${HOW_TO_ASK}`, grant: kind === 'read' ? { read: [path] } : { write: [path] } }
}

/** It was stopped for it, and would not know why. */
function describeRefused({ path, movedTo, why }: RunEnd['refused'][number]): string {
  const what = movedTo === null ? '' : ` What it made lies at ${movedTo} now.`
  return `${why} It was stopped when it made ${path}.${what}`
}

const HOW_TO_ASK = 'Make a new call with the arguments in grant added; a person is asked about it.'

/** A file that is to be written need not be there yet, but its folder does. */
function placeOf(path: string, kind: 'read' | 'write', judge: WantedDeps['judge']): string {
  if (kind === 'read') return path
  const answer = judge(path, 'write')
  return !answer.ok && answer.error.code === 'bad_args' ? dirname(path) : path
}
