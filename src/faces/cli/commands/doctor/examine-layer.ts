import { join } from 'node:path'
import type { Settings } from '../../../../config/keys.ts'
import type { ConfinementLevel } from '../../../../host/confine/find-confinement.ts'
import { folderBytes } from '../../../../host/fs/folder-bytes.ts'
import { namesIn } from '../../../../host/fs/private-files.ts'
import { isExecutionName } from '../../../../host/layer/layer-names.ts'
import { layerPlaces, notePlaces } from '../../../../host/layer/layer-places.ts'
import { findLayers } from '../../../../runtime/shell/shell-layers.ts'
import type { Workspace } from '../../../../workspace/workspace.ts'
import type { DoctorLine } from './doctor-line.ts'

/** What keeps the changes of commands apart; layers that are left over stay, and a folder for them is not made. */
export async function examineLayer(
  rung: ConfinementLevel,
  settings: Settings,
  facts: { readonly workspace: Workspace; readonly stateDir: string },
): Promise<DoctorLine> {
  const cleanUp = notePlaces(placesOf(settings, facts.workspace, facts.stateDir))
  const layers = await findLayers(rung, settings, { ...facts, layerStatus: () => 'kept' }).finally(cleanUp)
  const name = 'command layer'
  if ('unknown' in layers) {
    const { reason, advice } = layers.unknown
    return {
      name,
      value: `not known, so commands are off. ${reason}`,
      isFine: false,
      hint: advice.join('\n    '),
    }
  }
  const { layer, layerReason } = layers.status
  const isWanted = rung.holds && rung.name === 'bwrap' && settings['tools.shell.layer'] !== 'off'
  const isFine = layer !== 'none' || !(isWanted || settings['tools.shell.layer'] === 'require')
  if (layer === 'overlay')
    return { name, value: 'overlay: what commands change lands as one edit', isFine: true }
  if (layer === 'copy') return { name, value: `a copy for each command. ${layerReason ?? ''}`, isFine: true }
  const hint = 'what commands change cannot be undone; see docs/layers.md'
  return { name, value: `none. ${layerReason ?? ''}`, isFine, ...(isFine ? {} : { hint }) }
}

/** Layers that wait to land, or hold what an undo needs. */
export function keptLayers(settings: Settings, workspace: Workspace, stateDir: string): DoctorLine {
  const kept = placesOf(settings, workspace, stateDir).flatMap((place) =>
    namesIn(place)
      .filter(isExecutionName)
      .map((name) => join(place, name)),
  )
  const bytes = kept.reduce((sum, folder) => sum + folderBytes(folder), 0)
  return {
    name: 'kept layers',
    value: kept.length === 0 ? 'none' : `${kept.length}, ${bytes} bytes`,
    isFine: true,
  }
}

/** The folders in which the layers of a workspace may lie. */
function placesOf(settings: Settings, { roots }: Workspace, stateDir: string): readonly string[] {
  const layerDir = settings['tools.shell.layer_dir']
  return [...new Set(roots.flatMap((root) => layerPlaces({ root, stateDir, layerDir })))]
}
