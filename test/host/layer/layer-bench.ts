import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ConfinedWorkspace, Confinement, Launch } from '../../../src/host/confine/confinement.ts'
import { findLayerPlaces } from '../../../src/host/layer/layer-places.ts'
import type { Layer } from '../../../src/core/layer.ts'
import { openLayer } from '../../../src/host/layer/open-layer.ts'
import { openCopyLayer } from '../../../src/host/layer/copy/open-copy.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { RunEnd } from '../../../src/host/run/run-request.ts'
import { openCommandBench } from '../run/command-bench.ts'
import type { CommandBench } from '../run/command-bench.ts'

/** A workspace, and a folder for its layers. */
export interface LayerBench extends CommandBench {
  readonly place: string
  readonly newLayer: () => Layer
  /** A layer that is a copy of the workspace. */
  readonly newCopy: () => Promise<Layer>
  readonly write: (path: string, text?: string) => void
  /** Runs a line of shell on a layer, with everything of these names hidden. */
  readonly onLayer: (
    layer: Layer | null,
    line: string,
    changes?: Partial<ConfinedWorkspace>,
    env?: Readonly<Record<string, string>>,
  ) => Promise<RunEnd>
}

/** What is hidden from the commands of a bench, at any depth. */
export const HIDDEN = /(?:^|\/)(?:\.env(?:\..*)?|secrets)$/
export const SECRET = 'DENIED-SECRET'
const COPY_LIMITS = { maxBytes: 10_000_000, maxFiles: 10_000 }

/** The same launch by the words of its command line alone, which a test can change. */
export function byWords(launch: Launch): Launch {
  return { ...launch, mounted: null }
}

/** Lays one out; a control takes something out of the sandbox that protects its commands. */
export async function openLayerBench(
  weaken: (launch: Launch) => Launch = (launch) => launch,
): Promise<LayerBench> {
  const bench = await openCommandBench()
  const { root } = bench
  const stateDir = join(dirname(root), 'state')
  const place = findLayerPlaces({ root, stateDir, layerDir: '', roots: [root] })[0]?.path
  if (place === undefined) throw new Error('no place for layers')
  let count = 0
  return {
    ...bench,
    place,
    newLayer: () => openLayer({ execution: `e${++count}`, roots: [root], places: [place], rung: 'overlay' }),
    newCopy: async () => {
      const opened = openRoot(root)
      const view = { rootAt: () => opened, isHidden: (_: string, rel: string) => HIDDEN.test(rel) }
      try {
        const request = { execution: `e${++count}`, roots: [root], places: [place] }
        return await openCopyLayer(request, { masked: [], own: [], view }, COPY_LIMITS)
      } finally {
        opened.close()
      }
    },
    write: (path, text = path) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    onLayer: async (layer, line, changes = {}, env = undefined) => {
      const opened = openRoot(root)
      const view = { rootAt: () => opened, isHidden: (_: string, rel: string) => HIDDEN.test(rel) }
      const plain = await bench.confine({ view, ...changes })
      const confinement: Confinement = { ...plain, launch: (command) => weaken(plain.launch(command)) }
      try {
        return await bench.sh(line, { confinement, layer, ...(env === undefined ? {} : { env }) })
      } finally {
        opened.close()
      }
    },
  }
}
