import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { keyFile } from '../../host/fs/folders.ts'
import { MAX_TEXT_BYTES, readPlainFile } from '../../host/fs/plain-file.ts'
import { identityOf, sizeOf } from '../../host/fs/private-files.ts'

/** The keys that the user has stored, so that no result shows one; read again if their file has changed. */
export function watchStoredKeys(): () => readonly string[] {
  let seen = ''
  let known: readonly string[] = []
  return () => {
    const file = keyFile(process.env)
    const now = `${identityOf(file)} ${sizeOf(file)?.modifiedMs}`
    if (now !== seen) {
      // Reading changes nothing here: whoever uses a key is told first if others could read the file.
      const found = readPlainFile(file, 'project', MAX_TEXT_BYTES)
      const value = found.is === 'read' ? parseJson(found.bytes.toString('utf8')) : null
      known = isJsonObject(value) ? Object.values(value).filter((one) => typeof one === 'string') : []
      seen = now
    }
    return known
  }
}
