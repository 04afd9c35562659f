import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ioFailure, isOutage } from '../root/io-failure.ts'
import { runOnce } from '../run/run-once.ts'
import type { ConfinedWorkspace, Confinement } from '../confine/confinement.ts'
import { describeDelay } from '../confine/remember-proof.ts'
import { newName } from './layer-names.ts'
import { ownerMark } from './layer-owner.ts'
import { UPPER } from './layer.ts'
import type { Layer, LayerRung } from '../../core/layer.ts'
import { openLayer } from './open-layer.ts'
import { removeGone } from './remove-folder.ts'

/** What keeps the changes of commands apart, or why nothing does, or why that could not be found out. */
export type LayerSupport =
  | { readonly rung: LayerRung; readonly reason: null }
  | { readonly rung: 'none' | 'unknown'; readonly reason: string }

const MAX_SHOWN_CHARS = 300
const ENV = { PATH: '/usr/bin:/bin' }
const NOTHING = { path: '', read: [], write: [], own: [], hasNetwork: false, scratchBytes: 0 }

/** Every way to change a folder once; what it prints at its end shows that the command sees its own changes. */
const CHANGES = `
echo new >created && echo more >>changed && rm removed && mv folder moved && mkdir made && ! cat hidden 2>/dev/null &&
[ "$(cat changed)" = "old
more" ] && [ ! -e removed ] && cat moved/inside`
const INSIDE = 'inside'

/** What a proof needs. */
export interface ProofRequest {
  readonly confine: (workspace: ConfinedWorkspace) => Confinement
  readonly place: string
  /** A root over which layers have to be tried: one on another file system, or with mounts below; null if none has to. */
  readonly triedRoot: string | null
  readonly timeoutMs: number
}

/**
 * Tries in a folder for layers whether a command on a layer changes the layer and nothing else. A command that was not
 * ready in time says nothing about that.
 */
export async function proveLayer({
  confine,
  place,
  triedRoot,
  timeoutMs,
}: ProofRequest): Promise<LayerSupport> {
  const made: string[] = []
  try {
    const top = mkdtempSync(join(place, newName(ownerMark(), 'probe-')))
    made.push(top)
    const root = join(top, 'root')
    layOut(root)
    const before = describe(root)
    const layer = openLayer({ execution: 'probe', roots: [root], places: [top], rung: 'overlay' })
    const run = (on: Layer, at: string, line: string) => {
      const { launch } = confine({
        ...NOTHING,
        roots: [at],
        home: join(top, 'home'),
        masked: [join(at, 'hidden')],
      })
      return runOnce(launch({ argv: ['/bin/sh', '-c', line], cwd: at, env: ENV, layer: on }), top, timeoutMs)
    }
    const { stdout, stderr, isTimedOut } = await run(layer, root, CHANGES)
    const said = stderr.trim().slice(-MAX_SHOWN_CHARS)
    if (isTimedOut) return notReady(timeoutMs)
    if (stdout !== INSIDE) return none(`a command on a layer does not work here: ${said}`)
    if (describe(root) !== before) return none('a command on a layer changed the workspace')
    const upper = join(layer.parts[0]?.folder ?? '', UPPER)
    const isMarked =
      lstatSync(join(upper, 'removed'), { throwIfNoEntry: false })?.isCharacterDevice() ?? false
    if (!isMarked || readFileSync(join(upper, 'created'), 'utf8') !== 'new\n')
      return none('the changes of a command are not in its layer')
    if (triedRoot === null) return { rung: 'overlay', reason: null }
    const far = openLayer({ execution: 'far', roots: [triedRoot], places: [top], rung: 'overlay' })
    const there = await run(far, triedRoot, `printf ${INSIDE}`)
    if (there.stdout === INSIDE) return { rung: 'overlay', reason: null }
    if (there.isTimedOut) return notReady(timeoutMs)
    return none(`a command on a layer does not work here: ${there.stderr.trim().slice(-MAX_SHOWN_CHARS)}`)
  } catch (error) {
    // Without layers, commands change the workspace itself: not because of what may be over the next time.
    if (isOutage(error)) throw ioFailure(error, 'try layers in', place)
    return none(error instanceof Error ? error.message : String(error))
  } finally {
    for (const top of made) await removeGone(top)
  }
}

function none(reason: string): LayerSupport {
  return { rung: 'none', reason }
}

function notReady(timeoutMs: number): LayerSupport {
  return { rung: 'unknown', reason: `a command on a layer was ${describeDelay(timeoutMs)}` }
}

function layOut(root: string): void {
  mkdirSync(join(root, 'folder'), { recursive: true })
  writeFileSync(join(root, 'folder/inside'), INSIDE)
  writeFileSync(join(root, 'changed'), 'old\n')
  for (const name of ['removed', 'hidden']) writeFileSync(join(root, name), name)
}

/** What a folder holds, as a text that differs if any of it does. */
function describe(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const { ino, ctimeMs } = statSync(join(folder, name))
      return `${name} ${ino} ${ctimeMs}`
    })
    .join('\n')
}
