import { failure } from '../../../core/error.ts'
import { openRoot } from '../../root/open-root.ts'
import { planCopy, TooLarge } from './copy-plan.ts'
import type { CopyLimits } from './copy-plan.ts'
import { copyChanged, copyRoot, findCopiers } from './copy-root.ts'
import type { Layer } from '../../../core/layer.ts'
import { discardLayer, openLayer } from '../open-layer.ts'
import type { LayerRequest } from '../open-layer.ts'
import { noteFirstNames } from '../enter/first-names.ts'
import { lookAtRoot } from '../enter/view-layer.ts'
import type { LookedAt } from '../enter/view-layer.ts'

/** Nothing is mounted on a name of a copy, so no path is too long to be hidden. */
const ANY_PATH = { upper: null, maxPathBytes: Infinity, keepsInodes: false } as const

/** Why roots cannot be copied for each command, as the end of a sentence; null if they can. */
export function findCopyFault(
  roots: readonly string[],
  workspace: LookedAt,
  { maxBytes, maxFiles }: CopyLimits,
): string | null {
  if (findCopiers() === null) return 'there is no cp and xargs that only root can change'
  let left = maxBytes
  try {
    for (const path of roots) {
      const root = openRoot(path)
      try {
        left -= planCopy(root, lookAtRoot(path, workspace, ANY_PATH), { maxBytes: left, maxFiles }).bytes
      } finally {
        root.close()
      }
    }
    return null
  } catch (error) {
    if (error instanceof TooLarge) return `the workspace cannot be copied for each command: ${error.message}`
    throw error
  }
}

/** Makes a layer that is a copy of the roots. */
export async function openCopyLayer(
  request: Omit<LayerRequest, 'rung'>,
  workspace: LookedAt,
  { maxBytes, maxFiles }: CopyLimits,
): Promise<Layer> {
  const layer = openLayer({ ...request, rung: 'copy' })
  let left = maxBytes
  try {
    const roots = layer.parts.map(({ root }) => root)
    const reached = reachedFrom(roots, workspace)
    for (const part of layer.parts) {
      const root = openRoot(part.root)
      try {
        const look = () => lookAtRoot(part.root, { ...workspace, reached }, ANY_PATH)
        const copied = await copyRoot({ part, root, look, limits: { maxBytes: left, maxFiles } })
        left -= copied.bytes
        if (copied.look.first !== null) noteFirstNames(layer, part.root, copied.look.first)
      } finally {
        root.close()
      }
    }
    // A link that was changed meanwhile may lead to what was copied as it is.
    if (reachedFrom(roots, workspace).some((real) => !reached.includes(real))) throw copyChanged()
    return layer
  } catch (error) {
    await discardLayer(layer)
    if (!(error instanceof TooLarge)) throw error
    throw failure(
      'resource_exhausted',
      `The workspace cannot be copied for the command, so the command did not run: ${error.message}.`,
      { key: 'tools.shell.layer_copy_max_bytes' },
      ['Raise the limit, or set tools.shell.layer = "off".'],
    )
  }
}

/** What links with hidden names in some roots lead to outside of their own; a single root has no other. */
function reachedFrom(roots: readonly string[], workspace: LookedAt): readonly string[] {
  if (roots.length < 2) return []
  return roots.flatMap((root) => lookAtRoot(root, workspace, ANY_PATH).leadsOut)
}
