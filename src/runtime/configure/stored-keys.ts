import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { keyFile } from '../../host/fs/folders.ts'
import { readSecretText } from '../../host/fs/own-text.ts'
import { identityOf, sizeOf } from '../../host/fs/private-files.ts'

/** The keys that the user has stored, so that no result shows one; read again if their file has changed. */
export function watchStoredKeys(): () => readonly string[] {
  let seen = ''
  let known: readonly string[] = []
  return () => {
    const file = keyFile(process.env)
    const now = `${identityOf(file)} ${sizeOf(file)?.modifiedMs}`
    if (now !== seen) {
      const found = readSecretText(file)
      const value = found.is === 'read' ? parseJson(found.text) : null
      known = isJsonObject(value) ? Object.values(value).filter((one) => typeof one === 'string') : []
      seen = now
    }
    return known
  }
}
