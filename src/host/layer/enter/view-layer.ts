import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cachePlace, enterLayer } from './enter-layer.ts'
import type { Entrance } from './enter-layer.ts'
import type { LayerPrograms } from './layer-script.ts'
import { holesOf } from '../copy/copy-record.ts'
import { UPPER } from '../layer.ts'
import type { Layer, LayerPart } from '../../../core/layer.ts'
import { lookAt } from './look.ts'
import type { LookRules, RootLook } from './look.ts'
import { noteFirstNames } from './first-names.ts'
import { readHidden } from './hidden-names.ts'
import { reachedIn } from './hidden-link.ts'
import { findHoles } from './holes.ts'
import { MERGED } from '../open-layer.ts'
import { openRoot } from '../../root/open-root.ts'
import { absoluteOf } from '../../root/rel-path.ts'
import type { Root } from '../../root/root.ts'
import { FIRST_INPUT_FD, REPORT_FD } from '../../confine/confinement.ts'
import type { ConfinedWorkspace, GuardPlan, WorkspaceView } from '../../confine/confinement.ts'
import { isBelow } from '../../confine/mount.ts'
import type { Mount } from '../../confine/mount.ts'

/** The longest path that the system takes, with the zero at its end. */
const PATH_MAX = 4096

/** What a layer changes about the sandbox of a command. */
export interface LayerView {
  /** Null if nothing has to be mounted before the sandbox. */
  readonly entrance: Entrance | null
  /** The layer at the places of the roots, and what is not part of it. */
  readonly mounts: readonly Mount[]
  /** Whether a path shows as it is on the layer, so that nothing else has to protect it. */
  readonly holds: (path: string) => boolean
  readonly hasStandIns: boolean
  readonly findMoved: () => string | null
}

/** What decides how a root is looked at. */
export type LookedAt = Pick<ConfinedWorkspace, 'masked' | 'own' | 'passthrough' | 'view'> & {
  /** What links with hidden names in other roots lead to, absolute and byte for byte. */
  readonly reached?: readonly string[]
}

type Layered = LookedAt & Pick<ConfinedWorkspace, 'caches' | 'areCachesLayered'>

/** Lays out how a command works on a copy of the roots. Hidden files have their stand-ins in the copy already. */
export function viewCopy({ parts }: Layer): LayerView {
  const holes = parts.flatMap(({ root, folder }) =>
    holesOf(folder).map(({ path, isWritable }) => ({ at: absoluteOf(root, path), isWritable })),
  )
  return {
    entrance: null,
    mounts: [
      ...parts.map(({ root, folder }): Mount => ({ kind: 'write', at: root, from: join(folder, UPPER) })),
      // A name that is not text cannot be passed on; the folder then shows empty.
      ...holes
        .filter(({ at }) => at.isWellFormed())
        .map(({ at, isWritable }): Mount => ({ kind: isWritable ? 'write' : 'read', at })),
    ],
    holds: (path) =>
      parts.some(({ root }) => isBelow(path, root)) && !holes.some(({ at }) => isBelow(path, at)),
    // Copies have other inodes, so git must not compare them.
    hasStandIns: true,
    findMoved: () => null,
  }
}

/** Looks at the roots of a layer and lays out how a command gets onto it. */
export function viewLayer(layer: Layer, programs: LayerPrograms, workspace: Layered): LayerView {
  const caches = workspace.areCachesLayered === true ? (workspace.caches ?? []) : []
  const looks = lookAtParts(layer.parts, workspace)
  for (const [at, { root }] of layer.parts.entries()) {
    const first = looks[at]?.first ?? null
    if (first !== null) noteFirstNames(layer, root, first)
  }
  const live = looks.flatMap(({ holes }, at) =>
    holes.map(({ path }) => absoluteOf(layer.parts[at]?.root ?? '', path)),
  )
  return {
    entrance: enterLayer({ layer, looks, programs, caches, firstFd: FIRST_INPUT_FD, reportFd: REPORT_FD }),
    mounts: [
      ...layer.parts.map(({ root, folder }): Mount => ({
        kind: 'write',
        at: root,
        from: join(folder, MERGED),
      })),
      ...caches.map((at, index): Mount => ({ kind: 'write', at, from: cachePlace(layer, index, MERGED) })),
    ],
    holds: (path) =>
      layer.parts.some(({ root }) => isBelow(path, root)) && !live.some((at) => isBelow(path, at)),
    hasStandIns: looks.some(({ masks }) =>
      masks.some(({ kind, tracked }) => kind === 'file' || tracked !== undefined),
    ),
    findMoved: () => {
      for (const [at, { root: path }] of layer.parts.entries()) {
        const moved = withRoots(workspace.view, (rootAt) => looks[at]?.findMoved(rootAt(path)) ?? null)
        if (moved !== null) return absoluteOf(path, moved)
      }
      return null
    },
  }
}

/** Lends roots that are closed afterwards, unless they belong to the workspace. */
export function withRoots<T>(view: WorkspaceView | undefined, use: (rootAt: (path: string) => Root) => T): T {
  if (view !== undefined) return use(view.rootAt)
  const opened: Root[] = []
  try {
    return use((path) => {
      const root = openRoot(path)
      opened.push(root)
      return root
    })
  } finally {
    for (const root of opened) root.close()
  }
}

/** Looks at all roots, and once more at those in which something has to be hidden because of a link in another one. */
function lookAtParts(parts: readonly LayerPart[], workspace: LookedAt): readonly RootLook[] {
  const looks = parts.map((part) => lookAtPart(part, workspace))
  const reached = looks.flatMap(({ leadsOut }) => leadsOut)
  return looks.map((look, at) => {
    const part = parts[at]
    if (part === undefined || reachedIn(part.root, reached).size === 0) return look
    return lookAtPart(part, { ...workspace, reached })
  })
}

/** Looks at one root, as it shows with what earlier processes of the layer wrote. */
function lookAtPart(part: LayerPart, workspace: LookedAt): RootLook {
  const upper = isEmpty(part) ? null : openRoot(join(part.folder, UPPER))
  try {
    const maxPathBytes = PATH_MAX - Buffer.byteLength(join(part.folder, MERGED)) - 2
    const keepsInodes = statSync(part.folder).dev === statSync(part.root).dev
    const hiddenBefore = upper === null ? new Set<string>() : readHidden(part.folder)
    return lookAtRoot(part.root, workspace, { upper, maxPathBytes, keepsInodes, hiddenBefore })
  } finally {
    upper?.close()
  }
}

/** Looks at one root, with what was written over it if anything was. */
export function lookAtRoot(
  root: string,
  { masked, own, passthrough = [], view, reached = [] }: LookedAt,
  {
    upper,
    hiddenBefore = new Set(),
    ...rules
  }: { readonly upper: Root | null } & Pick<LookRules, 'maxPathBytes' | 'keepsInodes'> &
    Partial<Pick<LookRules, 'hiddenBefore'>>,
): RootLook {
  const named = new Set(masked)
  const ours = new Set(own.filter(({ isReadable }) => !isReadable).map(({ path }) => path))
  const isDenied = view?.isHidden ?? ((top: string, rel: string) => named.has(absoluteOf(top, rel)))
  const reachedHere = reachedIn(root, reached)
  return withRoots(view, (rootAt) =>
    lookAt(rootAt(root), upper, {
      isHidden: (rel) => reachedHere.has(rel) || ours.has(absoluteOf(root, rel)) || isDenied(root, rel),
      holes: findHoles(root, passthrough),
      hiddenBefore,
      ...rules,
    }),
  )
}

function isEmpty({ folder }: LayerPart): boolean {
  return readdirSync(join(folder, UPPER)).length === 0
}

/** What is left to watch: names outside the layer. */
export function guardOutside(guard: GuardPlan, { holds }: LayerView): GuardPlan | null {
  const left: GuardPlan = {
    roots: guard.roots.filter((path) => !holds(path)),
    forbidden: guard.forbidden.filter((path) => !holds(path)),
    links: guard.links.filter(({ path }) => !holds(path)),
    denied: guard.denied.filter(({ path }) => !holds(path)),
    repositories: guard.repositories.filter(({ gitFolder }) => !holds(gitFolder)),
  }
  return Object.values(left).some((list: readonly unknown[]) => list.length > 0) ? left : null
}

/** Tells git not to write its index when it is only asked something, as that would be a change that waits to land. */
export function withQuietGit(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { GIT_OPTIONAL_LOCKS: '0', ...env }
}

/** Tells git to go by size and time alone, as stand-ins for hidden files have no more in common with them. */
export function withStandIns(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  const count = Number.isSafeInteger(given) && given > 0 ? given : 0
  return {
    ...env,
    GIT_CONFIG_COUNT: `${count + 2}`,
    [`GIT_CONFIG_KEY_${count}`]: 'core.checkStat',
    [`GIT_CONFIG_VALUE_${count}`]: 'minimal',
    [`GIT_CONFIG_KEY_${count + 1}`]: 'core.trustctime',
    [`GIT_CONFIG_VALUE_${count + 1}`]: 'false',
  }
}
