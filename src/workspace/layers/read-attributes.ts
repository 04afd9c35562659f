import { failure } from '../../core/error.ts'
import { readAttributesIn } from '../../host/layer/folder-marks.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import { readableName } from '../../host/root/exact-name.ts'
import { showPath } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import type { Pause } from './layer-files.ts'

/** A file or folder whose extended attributes are to be read. Those of a file take reading its content too. */
export interface Attributed {
  readonly path: string
  readonly bytes: number
}

/** How much is read before other work goes on. */
const AT_ONCE = { names: 2_000, bytes: 16 * 1024 ** 2 }

/** The extended attributes of files and folders below a root; what is gone has none. Fails if they cannot be read. */
export async function readAttributesOf(
  root: Root,
  names: readonly Attributed[],
  pause: Pause,
): Promise<ReadonlyMap<string, Attributes>> {
  const found = new Map<string, Attributes>()
  for (const some of cut(names)) {
    const all = readAttributesIn(root, some)
    for (const [index, path] of some.entries()) found.set(path, all?.[index] ?? readOne(root, path))
    const waiting = pause()
    if (waiting !== undefined) await waiting
  }
  return found
}

function* cut(names: readonly Attributed[]): Generator<readonly string[]> {
  let some: string[] = []
  let sum = 0
  for (const { path, bytes } of names) {
    if (some.length > 0 && (some.length >= AT_ONCE.names || sum + bytes > AT_ONCE.bytes)) {
      yield some
      some = []
      sum = 0
    }
    some.push(path)
    sum += bytes
  }
  if (some.length > 0) yield some
}

/** One that is gone says nothing about the others, and it is noticed as changed before anything lands. */
function readOne(root: Root, path: string): Attributes {
  const found = readAttributesIn(root, [path])?.[0]
  if (found !== undefined) return found
  if (root.stat(path) === null) return new Map<string, Uint8Array>()
  const shown = showPath(readableName(path))
  throw failure(
    'execution_failed',
    `Nothing was landed: the extended attributes of ${shown} cannot be read.`,
    { path: shown },
    ['Check that GNU tar is installed and can read it, and try again.'],
  )
}
