import { Buffer } from 'node:buffer'
import { areAttributesRead } from '../../fs/attributes.ts'
import { findNative } from '../../native/load-native.ts'
import { latin1Name } from '../../root/exact-name.ts'
import { absoluteOf } from '../../root/rel-path.ts'
import type { Root } from '../../root/root.ts'
import { isRootOfSystem } from '../../system/process.ts'
import { findWithAttributes } from '../archive-files.ts'
import { markPrefix, readAttributesIn } from '../folder-marks.ts'

/** A file that no overlay shows. */
export interface UnshownFile {
  readonly path: string
  /** The extended attribute that is the reason. */
  readonly attribute: string
}

/** Of the marks of an overlay, those that matter on a file below another one: its content is elsewhere, or it is gone. */
const MARKS = ['metacopy', 'whiteout']

/**
 * Finds a file of a root that carries a mark of an overlay as an extended attribute. The system takes it for a part of an
 * overlay that is not mounted: it refuses to open the file, or does not show it. Anybody can set the marks of an ordinary
 * user's overlay; those of root's only root can.
 */
export async function findUnshown(root: Root, passed: ReadonlySet<string>): Promise<UnshownFile | null> {
  if (isRootOfSystem()) return null
  const hiding = new Set(MARKS.map((mark) => markPrefix() + mark))
  const files: string[] = []
  root.walk('', ({ exactPath, kind }) => {
    if (kind === 'file') files.push(exactPath)
    return passed.has(absoluteOf(root.path, exactPath)) ? 'pass' : 'enter'
  })
  for (const path of await findWithAttributes(root, files)) {
    const attribute = attributeNames(root, path).find((name) => hiding.has(name))
    if (attribute !== undefined) return { path, attribute }
  }
  return null
}

/** Without native code, those of a large file are not known; see the attributes of what lands. */
function attributeNames(root: Root, path: string): readonly string[] {
  const native = findNative()
  if (typeof native !== 'string') {
    const names = native.attributeNames(Buffer.from(latin1Name(absoluteOf(root.path, path)), 'latin1'))
    return (names ?? []).map((name) => Buffer.from(name).toString())
  }
  const size = root.stat(path)?.size ?? Infinity
  return areAttributesRead(size) ? [...(readAttributesIn(root, [path])?.[0]?.keys() ?? [])] : []
}
