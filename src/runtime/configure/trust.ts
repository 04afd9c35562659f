import { join } from 'node:path'
import { isJsonObject } from '../../core/json/value.ts'
import { replaceText } from '../../host/fs/folders.ts'
import { readTextIfExists } from '../../host/fs/plain-file.ts'
import { digest } from '../../host/system/hash.ts'

/** Enough for a hundred thousand projects. */
const MAX_TRUST_BYTES = 16 * 1024 ** 2

/** Whether the user has trusted exactly this text as the configuration of the root. */
export function isTrusted(stateDir: string, root: string, text: string): boolean {
  return readTrust(stateDir)[root] === digest(text)
}

/** Records this text as the trusted configuration of a root; any other text becomes untrusted. */
export function trust(stateDir: string, root: string, text: string): string {
  const fingerprint = digest(text)
  replaceText(
    trustFile(stateDir),
    `${JSON.stringify({ ...readTrust(stateDir), [root]: fingerprint }, null, 2)}\n`,
  )
  return fingerprint
}

function readTrust(stateDir: string): Readonly<Record<string, unknown>> {
  const text = readTextIfExists(trustFile(stateDir), 'own', MAX_TRUST_BYTES)
  if (text === null) return {}
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    // A damaged list trusts nothing.
    return {}
  }
}

function trustFile(stateDir: string): string {
  return join(stateDir, 'trust.json')
}
