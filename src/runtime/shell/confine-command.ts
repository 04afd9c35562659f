import { join } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import { failure, ToolFailure } from '../../core/error.ts'
import type { ExtraAccess } from '../../core/powers.ts'
import type { Confinement, JudgedPlace } from '../../host/confine/confinement.ts'
import { findPlace, placeOn } from '../../host/confine/held/held-place.ts'
import type { HeldPlace } from '../../host/confine/held/held-place.ts'
import { grantChanged } from '../../host/confine/held/refusals.ts'
import { readFolderNames } from '../../host/fs/folders.ts'
import { findToolchains } from '../../host/confine/readable-places.ts'
import type { ToolchainPlace } from '../../host/confine/readable-places.ts'
import { findRepositories } from '../../host/git/find-repositories.ts'
import { holderOf } from '../../host/git/follow/follow-named-path.ts'
import { findWay } from '../../host/way/find-way.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { findSettingFault } from '../../workspace/sandbox/named-by-setting.ts'
import { isReadable } from '../../workspace/sandbox/own-paths.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { judgePathGrant } from './granted-paths.ts'
import type { LentCaches } from './lent-caches.ts'
import { findPassthrough } from './passthrough.ts'
import type { GrantedPlace, PathGrantDeps } from './granted-paths.ts'
import { sharedGitAround } from './shared-git.ts'

/** What decides about the sandbox of a command. */
export interface ConfineDeps {
  readonly settings: Settings
  readonly workspace: Workspace
  readonly paths: PathGrantDeps
  /** The folders of the user's skills, so that their scripts can run. */
  readonly skillFolders: () => readonly string[]
}

/** What a command is confined with. */
interface ToConfine {
  readonly extraAccess: ExtraAccess | null
  /** Its PATH. */
  readonly path: string
  readonly lent: LentCaches
}

/** Confines one command to the workspace and what a person has granted it. */
export function* confineCommand(
  level: ConfinementLevel & { readonly holds: true },
  { extraAccess, path, lent }: ToConfine,
  { settings, workspace, paths, skillFolders }: ConfineDeps,
): Generator<null, Confinement> {
  const read = (extraAccess?.read ?? []).map((one) => grant(one, 'read', paths))
  const writable = (extraAccess?.write ?? []).map((one) => grant(one, 'write', paths))
  const write = writable.filter(({ real }) => sharedGitAround(real, workspace, paths.home) === null)
  const folders = write.filter(({ kind }) => kind === 'folder').map(({ real }) => real)

  const bySetting = readBySetting(settings, workspace)
  const judgedLent = judgeLent([
    ...bySetting.map((named) => followSetting('tools.shell.read', named, workspace)),
    ...[...skillFolders(), ...lent.caches.map((cache) => cache.path)].map((named) => followed(named)),
  ])
  const lentRead = [...bySetting, ...skillFolders()].filter((named) => judgedLent.has(named))
  const judged = new Map([...judgedLent, ...judgedAs([...read, ...write])])
  const masked = [
    ...findMasked(workspace),
    ...lent.masked,
    ...paths.own.filter(({ as }) => as === 'hidden').map(({ path: own }) => own),
    ...[...lentRead, ...read, ...write].flatMap((place) => findHidden(place, workspace)),
    // A mount that is read-only does not keep anybody from writing to a pipe.
    ...lentRead.flatMap((place) => workspace.findPipesIn(place)),
    ...read.flatMap((place) => workspace.findPipesInPlace(place)),
    ...findGitFolders(workspace).flatMap((place) => findHidden(place, workspace)),
  ]
  yield null
  for (const place of findToolchains(path, paths.home, workspace.roots)) {
    yield null
    masked.push(...findHiddenTools(place, workspace))
  }
  yield null
  requireUnchanged([...read, ...write])
  return level.confine({
    // A writable folder is shielded like a root, so that the repositories in it are protected.
    roots: [...workspace.roots, ...folders.filter((folder) => !workspace.roots.includes(folder))],
    home: paths.home,
    path,
    read: [...lentRead, ...read.map(({ real }) => real)],
    write: write.filter(({ kind }) => kind === 'file').map(({ real }) => real),
    caches: lent.caches.map(({ path: cache }) => cache),
    judged,
    areCachesLayered: lent.isLayered,
    masked,
    own: workspace.own.map((own) => ({ path: own.path, isReadable: isReadable(own) })),
    hasNetwork: extraAccess?.network ?? false,
    mayWriteSharedGit: write.length < writable.length,
    scratchBytes: settings['tools.shell.limits.scratch_bytes'],
    passthrough: findPassthrough(settings, workspace),
    gitBelow: (folder) => workspace.findGitIn(folder),
    view: workspace.view,
  })
}

/** What paths of the settings lead to now, before it is looked at what has to be hidden in them. */
function judgeLent(named: readonly Followed[]): ReadonlyMap<string, JudgedPlace> {
  return new Map(
    named.flatMap(({ path, place }) =>
      place === null ? [] : [[path, { ...place, isGranted: false }] as const],
    ),
  )
}

/** A path and what it led to when it was followed. */
interface Followed {
  readonly path: string
  readonly place: HeldPlace | null
}

function followed(path: string, way = findWay(path)): Followed {
  return { path, place: placeOn(path, way) }
}

/** Follows a path that a setting names; throws if it leaves a root by a link in it. */
function followSetting(setting: string, path: string, { roots }: Workspace): Followed {
  const way = findWay(path)
  const fault = findSettingFault(setting, path, roots, way)
  if (fault !== null) throw fault
  return followed(path, way)
}

/** What the settings let every command read; relative paths start in the first root. */
export function readBySetting(
  settings: Settings,
  { roots: [first = '/'] }: Pick<Workspace, 'roots'>,
): readonly string[] {
  return settings['tools.shell.read'].map((path) => (path.startsWith('/') ? path : join(first, path)))
}

/** Granted places by their paths, as a sandbox mounts them. */
export function judgedAs(places: readonly GrantedPlace[]): readonly (readonly [string, JudgedPlace])[] {
  return places.map(({ real, kind, identity }) => [real, { real, kind, identity, isGranted: true }])
}

/** What else was found by names is of no use if a name led elsewhere by then. */
export function requireUnchanged(places: readonly GrantedPlace[]): void {
  for (const { real, identity } of places) {
    const now = findPlace(real)
    if (now?.real !== real || now.identity !== identity) throw grantChanged(real)
  }
}

/** Resolves a granted path. It is judged again, because it may have changed since a person granted it. */
function grant(path: string, intent: 'read' | 'write', paths: PathGrantDeps) {
  const access = judgePathGrant(path, intent, paths)
  if (!access.ok) throw new ToolFailure(access.error)
  return access
}

/** The files hidden from every command. A name that cannot be hidden on its own hides its folder, unless that is a root. */
function findMasked(workspace: Workspace): readonly string[] {
  const masked = workspace.findDenied()
  const root = workspace.roots.find((one) => masked.includes(one))
  if (root === undefined) return masked
  throw failure(
    'not_allowed',
    `Something directly in ${root} may be a denied file and cannot be hidden from a command: its name is not valid UTF-8, or the folder cannot be read.`,
    { root },
    ['Rename what has such a name or move it into a folder, and make the folder readable for its owner.'],
  )
}

/** Lists of certificate authorities, which everyone may know and which TLS needs. */
const PUBLIC_CERTIFICATES = /\/(?:cacert|ca-bundle|ca-certificates|cert)\.pem$/i

/** Packages as they were published hold no secrets of this machine, only many test keys. */
const TOOL_LIMITS = {
  skips:
    /^(?:node_modules|site-packages|dist-packages|python\d[\d.]*|rustlib|gems|perl5?|jmods|include|doc|man|locale)$/,
  maxFolders: 250,
}

/** What is denied in a part of a toolchain. */
export function findHiddenTools(place: ToolchainPlace, workspace: Workspace): readonly string[] {
  const { real, isPublished, hidesDotNames } = place
  if (workspace.denyOutside(place.path) !== null) return [real]
  if (workspace.denyOutside(real) !== null) return [real]
  const denied = isPublished ? [] : workspace.findDeniedIn(real, TOOL_LIMITS)
  const dotNames = hidesDotNames
    ? (readFolderNames(real) ?? [])
        .filter(({ name }) => name.startsWith('.'))
        .map(({ name }) => `${real}/${name}`)
    : []
  return [...denied.filter((path) => !PUBLIC_CERTIFICATES.test(path)), ...dotNames]
}

/** Git's own folders outside the workspace, which a command that works in one of several work trees sees. */
function findGitFolders({ roots }: Workspace): readonly string[] {
  const found = roots
    .flatMap((root) => findRepositories(root, root))
    .flatMap(({ gitFolder, commonFolder }) => [gitFolder, commonFolder])
  return [...new Set(found)].filter((folder) => holderOf(folder, roots) === null)
}

/** What is denied in a folder outside the workspace; the folder itself may be denied. What was granted is looked at by a handle. */
export function findHidden(place: string | GrantedPlace, workspace: Workspace): readonly string[] {
  const path = typeof place === 'string' ? place : place.real
  if (workspace.denyOutside(path) !== null) return [path]
  return typeof place === 'string' ? workspace.findDeniedIn(path) : workspace.findDeniedInPlace(place)
}
