import { resolve } from 'node:path'
import { COPIED_FILES } from '../../config/fixed-values.ts'
import type { Settings } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { TRY_LATER } from '../../core/shell/shell-status.ts'
import type { ShellStatus } from '../../core/shell/shell-status.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { isBelow } from '../../host/confine/mount.ts'
import { isInside } from '../../host/fs/folders.ts'
import { mountPointsBelow } from '../../host/layer/mounts.ts'
import { readableName } from '../../host/root/exact-name.ts'
import { openRoot } from '../../host/root/open-root.ts'
import { absoluteOf, showPath } from '../../host/root/rel-path.ts'
import { isRootOfSystem } from '../../host/system/process.ts'
import { findLayerPlaces, noteKnownPlaces, sweptPlaces } from '../../host/layer/layer-places.ts'
import type { Layer, LayerRung } from '../../core/layer.ts'
import { openCopyLayer, findCopyFault } from '../../host/layer/copy/open-copy.ts'
import { discardLayer, openLayer } from '../../host/layer/open-layer.ts'
import { sweepLayers, sweepLeft } from '../../host/layer/sweep-layers.ts'
import type { LayerStatus } from '../../host/layer/sweep-layers.ts'
import { describeOtherGroup } from '../../host/layer/enter/other-groups.ts'
import { findUnshown } from '../../host/layer/enter/unshown-files.ts'
import type { UnshownFile } from '../../host/layer/enter/unshown-files.ts'
import { isReadable } from '../../workspace/sandbox/own-paths.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** The layers of the commands of a workspace. */
export interface ShellLayers {
  readonly status: { readonly layer: LayerRung | 'none'; readonly layerReason?: string }
  /** Null if there are none. */
  readonly open: (execution: string) => Promise<Layer | null>
  readonly discard: (layer: Layer) => Promise<void>
}

/** Why no command may start: it could not be found out in time what would confine it, or keep its changes apart. */
interface UnknownLayers {
  readonly unknown: ShellStatus & { readonly holds: false }
}

/** What decides where layers lie, and which of them are left over. */
interface LayerFacts {
  readonly workspace: Pick<Workspace, 'roots' | 'own' | 'view'>
  readonly stateDir: string
  readonly layerStatus: (execution: string) => LayerStatus
}

/** Without layers, commands change the workspace itself. */
export const NO_LAYERS: ShellLayers = withoutLayers('The sandbox has not been checked yet.')

/** Finds out where the layers of a workspace can lie, and whether commands can run on them or have to run on copies. */
export async function findLayers(
  level: ConfinementLevel,
  settings: Settings,
  { workspace, stateDir, layerStatus }: LayerFacts,
): Promise<ShellLayers | UnknownLayers> {
  if (!level.holds && level.isUnknown === true) return { unknown: level }
  if (settings['tools.shell.layer'] === 'off') return withoutLayers('tools.shell.layer is off.')
  if (!level.holds) return withoutLayers(level.reason)
  if (level.name !== 'bwrap') return withoutLayers('Only bubblewrap puts commands on a layer.')
  const { roots: all } = workspace
  // A root in another one is part of its layer.
  const roots = all.filter((root) => !all.some((other) => other !== root && isBelow(root, other)))
  const places: string[] = []
  let fault: string | null = null
  for (const root of roots) {
    const found = await findPlace(level, { root, stateDir, layerDir: layerDirOf(settings), roots: all })
    if (found === null)
      return withoutLayers(
        `No folder for layers can be made for ${root}; tools.shell.layer_dir can name one.`,
      )
    if ('unknown' in found) return unknownLayers(found.unknown)
    places.push(found.place)
    fault ??= found.fault
  }
  const lookedAt = {
    masked: [],
    own: workspace.own.map((own) => ({ path: own.path, isReadable: isReadable(own) })),
    passthrough: settings['tools.shell.passthrough'].map((path) => resolve(all[0] ?? '/', path)),
    view: workspace.view,
  }
  const limits = {
    maxBytes: settings['tools.shell.layer_copy_max_bytes'],
    maxFiles: COPIED_FILES,
  }
  const group = fault === null ? describeOtherGroup(roots) : null
  // Where that is too large to be copied, commands can at least read on an overlay.
  if (group !== null && findCopyFault(roots, lookedAt, limits) === null) fault = group
  const copyFault = fault === null ? null : findCopyFault(roots, lookedAt, limits)
  if (copyFault !== null) return withoutLayers(`No overlay can be mounted (${fault}), and ${copyFault}.`)
  const swept = new Set([...places, ...sweptPlaces(stateDir)])
  const sweepAll = async (sweep: typeof sweepLayers): Promise<void> => {
    for (const place of swept)
      await sweep(place, { statusOf: layerStatus, isShared: !isInside(place, stateDir) })
  }
  await sweepAll(sweepLayers)
  const request = { roots, places }
  const mounted = describeMounts(roots)
  if (fault === null)
    return {
      status: { layer: 'overlay' },
      open: async (execution) => {
        await sweepAll(sweepLeft)
        noteKnownPlaces(stateDir, places)
        // Over what was mounted since, the system may not mount an overlay.
        const isMountable = isRootOfSystem() || describeMounts(roots) === mounted
        const unshown = isMountable ? await findUnshownIn(roots, lookedAt.passthrough) : null
        if (isMountable && unshown === null) return openLayer({ ...request, execution, rung: 'overlay' })
        const unmade = unshown === null ? null : findCopyFault(roots, lookedAt, limits)
        if (unshown !== null && unmade !== null) throw cannotShow(unshown, unmade)
        return openCopyLayer({ ...request, execution }, lookedAt, limits)
      },
      discard: discardLayer,
    }
  return {
    status: { layer: 'copy', layerReason: `No overlay can be used: ${fault}.` },
    open: async (execution) => {
      await sweepAll(sweepLeft)
      noteKnownPlaces(stateDir, places)
      return openCopyLayer({ ...request, execution }, lookedAt, limits)
    },
    discard: discardLayer,
  }
}

/**
 * The best folder for the layers of a root, and why no overlay can have its upper layer there, or why that could not be
 * found out; null if there is no folder.
 */
async function findPlace(
  level: ConfinementLevel & { readonly holds: true },
  facts: Parameters<typeof findLayerPlaces>[0],
): Promise<{ readonly place: string; readonly fault: string | null } | { readonly unknown: string } | null> {
  const usable = findLayerPlaces(facts)
  const [first] = usable
  if (first === undefined) return null
  let fault = ''
  const [mount] = isRootOfSystem() ? [] : mountPointsBelow(facts.root)
  for (const { path, isNear } of usable) {
    const { rung, reason } = await level.layerIn(path, isNear && mount === undefined ? null : facts.root)
    if (rung === 'overlay') return { place: path, fault: null }
    // Another place would be as slow, and a copy is less than what may be possible.
    if (rung === 'unknown') return { unknown: reason }
    fault ||=
      mount !== undefined && (await level.layerIn(path)).rung === 'overlay'
        ? `something is mounted below the workspace, and only root can mount an overlay over that: ${showPath(mount)}`
        : (reason ?? '')
  }
  return { place: first.path, fault }
}

/** A file of one of these roots that no overlay shows, by its absolute path; null if there is none. */
async function findUnshownIn(
  roots: readonly string[],
  passthrough: readonly string[],
): Promise<UnshownFile | null> {
  for (const path of roots) {
    const root = openRoot(path)
    try {
      const found = await findUnshown(root, new Set(passthrough))
      if (found !== null) return { ...found, path: absoluteOf(path, found.path) }
    } finally {
      root.close()
    }
  }
  return null
}

function cannotShow({ path, attribute }: UnshownFile, unmade: string): ToolFailure {
  const shown = showPath(readableName(path))
  return failure(
    'resource_exhausted',
    `The command did not run: ${shown} has the extended attribute ${attribute}, so no overlay shows it, and ${unmade}.`,
    { path: shown },
    [`Remove the attribute (setfattr -x ${attribute}), or the file.`],
  )
}

function describeMounts(roots: readonly string[]): string {
  return roots.flatMap((root) => mountPointsBelow(root)).join('\n')
}

function withoutLayers(layerReason: string): ShellLayers {
  return {
    status: { layer: 'none', layerReason },
    open: () => Promise.resolve(null),
    discard: discardLayer,
  }
}

/** Nobody knows whether there are any: no command may run, as it could change the workspace itself. */
function unknownLayers(why: string): UnknownLayers {
  const reason = `Whether commands can work on a layer could not be found out: ${why}.`
  const advice = [TRY_LATER, 'tools.shell.layer = "off" lets commands change the workspace directly.']
  return { unknown: { holds: false, reason, advice, isUnknown: true } }
}

const turns = new WeakMap<Layer, Promise<unknown>>()

/** Runs processes on a layer one after the other: the system mounts it for one at a time. */
export function inTurn<T>(layer: Layer | null, run: () => Promise<T>): Promise<T> {
  if (layer === null) return run()
  const mine = (turns.get(layer) ?? Promise.resolve()).then(run)
  turns.set(
    layer,
    mine.catch(() => {}),
  )
  return mine
}

/** Where a person wants layers to be; empty for nowhere in particular. */
function layerDirOf(settings: Settings): string {
  const folder = settings['tools.shell.layer_dir']
  return folder.startsWith('/') ? folder : ''
}
