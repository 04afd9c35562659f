import { delimiter, dirname, join } from 'node:path'
import type { SpawnRequest } from '../../core/powers.ts'
import { isBelow } from '../../host/confine/mount.ts'
import { childEnvironment } from '../../host/run/environment.ts'
import type { ChildEnvironment } from '../../host/run/environment.ts'
import { findProgram, findPrograms, findReplacing } from '../../host/run/find-program.ts'
import type { ProgramLookup } from '../../host/run/find-program.ts'
import { orderPath } from '../../host/run/order-path.ts'
import { platform } from '../../host/system/platform.ts'
import type { StartedFile } from '../../pipeline/engine.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { environmentRules } from './child-environment.ts'
import type { ConfineDeps } from './confine-command.ts'

/** The environment of a command, with the same PATH for looking its program up and for starting it. */
export function environmentOf(
  { env }: Pick<SpawnRequest, 'env'>,
  { settings, workspace }: ConfineDeps,
): ChildEnvironment {
  const PATH = orderPath(process.env['PATH'] ?? '', workspace.roots)
  return childEnvironment({ ...process.env, PATH }, environmentRules(settings, env), platform)
}

/** Looks a program up outside the sandbox, which shows a command the same files or fewer. */
export function findStarted(
  word: string,
  request: Omit<SpawnRequest, 'timeoutMs'>,
  deps: ConfineDeps,
): StartedFile | null {
  return findProgram(word, lookupFor(request, deps))
}

/** The same for each of several words. */
export function findAllStarted(
  words: readonly string[],
  request: Omit<SpawnRequest, 'timeoutMs'>,
  deps: ConfineDeps,
): readonly (StartedFile | null)[] {
  return findPrograms(words, lookupFor(request, deps))
}

function lookupFor(request: Omit<SpawnRequest, 'timeoutMs'>, deps: ConfineDeps): ProgramLookup {
  const { programs } = request
  const { workspace } = deps
  const folder = folderOf(request, workspace)
  const { variables } = environmentOf(request, deps)
  const own = programs === undefined ? [] : [join(folder, programs)]
  return {
    cwd: folder,
    path: [...own, variables['PATH'] ?? ''].join(delimiter),
    mayChange: (path) => workspace.roots.some((root) => isBelow(path, root)),
  }
}

function folderOf({ cwd = '.' }: Pick<SpawnRequest, 'cwd'>, { locate, roots }: Workspace): string {
  const located = locate({ path: cwd, intent: 'list' })
  return located.ok ? located.absolute : (roots[0] ?? '/')
}

/** The programs that a project puts in the place of the system's: npm puts those of every folder around in front of PATH. */
export function findReplaced(
  request: Pick<SpawnRequest, 'cwd' | 'env'>,
  deps: ConfineDeps,
): readonly (readonly [string, string])[] {
  const { roots } = deps.workspace
  const path = environmentOf(request, deps).variables['PATH'] ?? ''
  const around: string[] = []
  for (let at = folderOf(request, deps.workspace); !around.includes(at); at = dirname(at)) around.push(at)
  return around
    .filter((at) => roots.some((root) => at === root || isBelow(at, root)))
    .flatMap((at) => findReplacing(join(at, 'node_modules/.bin'), path))
}
