import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { isSecretByItself } from '../../core/text/secrets/looks.ts'
import { keyFile } from '../../host/fs/folders.ts'
import { MAX_TEXT_BYTES, readPlainFile, stampOf } from '../../host/fs/plain-file.ts'
import { SIGN_IN_PREFIX } from '../../servers/sign-in/stored-sign-in.ts'

/** The keys that the user has stored, so that no result shows one; read again if their file has changed. */
export function watchStoredKeys(): () => readonly string[] {
  let seen: string | null = null
  let known: readonly string[] = []
  return () => {
    const file = keyFile(process.env)
    const now = stampOf(file)
    if (now !== seen) {
      // Reading changes nothing here: whoever uses a key is told first if others could read the file.
      const text = readPlainFile(file, 'project', MAX_TEXT_BYTES)
      const value = text.is === 'read' ? parseJson(text.bytes.toString('utf8')) : null
      known = isJsonObject(value) ? Object.entries(value).flatMap(toHide) : []
      seen = now
    }
    return known
  }
}

/** A key is hidden as the user gave it; the token of a server is the server's choice, and may be a word of any text. */
function toHide([name, value]: readonly [string, unknown]): readonly string[] {
  if (typeof value !== 'string') return []
  return name.startsWith(SIGN_IN_PREFIX) && !isSecretByItself(value) ? [] : [value]
}
