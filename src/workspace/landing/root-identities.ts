import { ToolFailure } from '../../core/error.ts'
import { folderIdentity } from '../../host/fs/folders.ts'
import type { Root } from '../../host/root/root.ts'

/** Remembers what tells roots from other folders: an open one stays what it is. */
export function rememberIdentities(rootOf: (path: string) => Root): (path: string) => string | null {
  const known = new WeakMap<Root, string | null>()
  return (path) => {
    try {
      const root = rootOf(path)
      const found = known.get(root)
      const identity = found === undefined ? root.lendFolder('', folderIdentity) : found
      known.set(root, identity)
      return identity
    } catch (thrown) {
      if (thrown instanceof ToolFailure) return null
      throw thrown
    }
  }
}
