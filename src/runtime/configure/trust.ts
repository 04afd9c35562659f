import { join } from 'node:path'
import { isJsonObject } from '../../core/json/value.ts'
import { replaceText } from '../../host/fs/folders.ts'
import { readTextIfExists } from '../../host/fs/plain-file.ts'
import { systemClock } from '../../host/system/clock.ts'
import { digest, seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { readKey } from '../../journal/chain/anchor-file.ts'
import { openStore } from '../../journal/open-store.ts'
import { stateFiles } from '../../journal/store/state-files.ts'

/** Enough for a hundred thousand projects. */
const MAX_TRUST_BYTES = 16 * 1024 ** 2

/**
 * Whether the user has trusted exactly this text as the configuration of the root, or as what else it is listed as. The list is sealed with the key of
 * the state folder, so that what another program writes into it counts for nothing.
 */
export function isTrusted(stateDir: string, root: string, text: string): boolean {
  const listed = readTrust(stateDir)[root]
  if (typeof listed !== 'string') return false
  const key = readKey(stateFiles(stateDir).key)
  return key !== null && listed === sealFor(key, root, digest(text))
}

/** Records this text as the trusted configuration of a root; any other text becomes untrusted. */
export function trust(stateDir: string, root: string, text: string): string {
  const fingerprint = digest(text)
  const sealed = sealFor(openKey(stateDir), root, fingerprint)
  replaceText(trustFile(stateDir), `${JSON.stringify({ ...readTrust(stateDir), [root]: sealed }, null, 2)}\n`)
  return fingerprint
}

/** Forgets what was trusted of a root. */
export function distrust(stateDir: string, root: string): void {
  const { [root]: gone, ...others } = readTrust(stateDir)
  if (gone !== undefined) replaceText(trustFile(stateDir), `${JSON.stringify(others, null, 2)}\n`)
}

/** The key of the state folder, which is made with the first record. */
function openKey(stateDir: string): SealKey {
  const { key: path } = stateFiles(stateDir)
  if (readKey(path) === null) openStore({ stateDir, durability: 'full', clock: systemClock }).close()
  const key = readKey(path)
  if (key === null) throw new Error(`the key ${path} cannot be read`)
  return key
}

function sealFor(key: SealKey, root: string, fingerprint: string): string {
  return seal(key, `tongs trust 1\n${root}\n${fingerprint}`)
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

/** Where what was trusted is listed. */
export function trustFile(stateDir: string): string {
  return join(stateDir, 'trust.json')
}
