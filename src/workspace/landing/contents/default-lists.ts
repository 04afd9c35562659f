import { Buffer } from 'node:buffer'
import { readFolderAttributes } from '../../../host/fs/attributes.ts'
import type { Root } from '../../../host/root/root.ts'
import { placeOf } from '../place-of.ts'
import { defaultListIn } from '../../../host/root/access-list.ts'

/** The default access list of a folder, which the system gives to whatever is made in it; null if it has none. */
export type DefaultLists = (root: Root, folder: string) => Uint8Array | null

/** The name of a folder in itself. */
const HERE = Buffer.from('.')

/** Reads the default access lists of folders, each once. */
export function rememberDefaultLists(): DefaultLists {
  const known = new Map<string, Uint8Array | null>()
  return (root, folder) => {
    const place = placeOf(root.path, folder)
    const found = known.get(place)
    if (found !== undefined) return found
    const [attributes = null] = root.lendFolder(folder, (path) => readFolderAttributes(path, [HERE])) ?? []
    const list = defaultListIn(attributes)
    known.set(place, list)
    return list
  }
}
