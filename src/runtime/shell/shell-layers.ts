import { resolve } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { isBelow } from '../../host/confine/mount.ts'
import { chooseLayerPlace } from '../../host/layer/layer-places.ts'
import type { Layer, LayerRung } from '../../core/layer.ts'
import { discardLayer, openLayer } from '../../host/layer/open-layer.ts'
import { sweepLayers } from '../../host/layer/sweep-layers.ts'

/** The layers of the commands of a workspace. */
export interface ShellLayers {
  readonly status: { readonly layer: LayerRung | 'none'; readonly layerReason?: string }
  /** Null if there are none. */
  readonly open: (execution: string) => Layer | null
  readonly discard: (layer: Layer) => Promise<void>
}

/** What decides where layers lie, and which of them are left over. */
interface LayerFacts {
  readonly roots: readonly string[]
  readonly stateDir: string
  readonly isLayerKept: (execution: string) => boolean
}

/** Without layers, commands change the workspace itself. */
export const NO_LAYERS: ShellLayers = withoutLayers('The sandbox has not been checked yet.')

/** Finds out where the layers of these roots can lie, and whether commands can run on them. */
export async function findLayers(
  level: ConfinementLevel,
  settings: Settings,
  { roots, stateDir, isLayerKept }: LayerFacts,
): Promise<ShellLayers> {
  const found = await findLayerPlaces(level, settings, { roots, stateDir })
  if (!found.ok) return withoutLayers(found.reason)
  const { places } = found
  for (const place of new Set(places)) await sweepLayers(place, isLayerKept)
  return {
    status: { layer: 'overlay' },
    open: (execution) => openLayer({ execution, roots, places, rung: 'overlay' }),
    discard: discardLayer,
  }
}

/** Where the layers of each root lie, or why commands cannot run on any, as a sentence. */
export type LayerPlacesFound =
  | { readonly ok: true; readonly places: readonly string[] }
  | { readonly ok: false; readonly reason: string }

/** Finds the places alone, and tries whether commands can run on a layer there. */
export async function findLayerPlaces(
  level: ConfinementLevel,
  settings: Settings,
  { roots, stateDir }: Pick<LayerFacts, 'roots' | 'stateDir'>,
): Promise<LayerPlacesFound> {
  if (settings['tools.shell.layer'] === 'off') return none('tools.shell.layer is off.')
  if (!level.holds) return none(level.reason)
  const outer = roots.find((root) => roots.some((other) => other !== root && isBelow(other, root)))
  if (outer !== undefined) return none(`The root ${outer} holds another root.`)
  const places: string[] = []
  for (const root of roots) {
    const place = chooseLayerPlace({ root, stateDir, layerDir: layerDirOf(settings), roots })
    if (place === null)
      return none(
        `No folder for layers can be made on the file system of ${root}; tools.shell.layer_dir can name one.`,
      )
    const { rung, reason } = await level.layerIn(place)
    if (rung === 'none') return none(`Commands cannot run on a layer here: ${reason}.`)
    places.push(place)
  }
  return { ok: true, places }
}

function none(reason: string): LayerPlacesFound {
  return { ok: false, reason }
}

function withoutLayers(layerReason: string): ShellLayers {
  return { status: { layer: 'none', layerReason }, open: () => null, discard: discardLayer }
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

/** The folders that commands on a layer write at once, absolute. */
export function passthroughOf(settings: Settings, roots: readonly string[]): readonly string[] {
  const [first = '/'] = roots
  return settings['tools.shell.passthrough'].map((path) => resolve(first, path))
}
