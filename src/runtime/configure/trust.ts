import { join } from 'node:path'
import { isJsonObject } from '../../core/json/value.ts'
import { replaceText } from '../../host/fs/folders.ts'
import { readTextIfExists } from '../../host/fs/plain-file.ts'
import { systemClock } from '../../host/system/clock.ts'
import { digest, seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { readKey } from '../../journal/chain/anchor-file.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import { readTrusted } from '../../journal/grants/read-trust.ts'
import { openStore } from '../../journal/open-store.ts'
import { stateFiles } from '../../journal/store/state-files.ts'

/** Enough for a hundred thousand projects. */
const MAX_TRUST_BYTES = 16 * 1024 ** 2

/**
 * Whether the user has trusted exactly this text as the configuration of the root, or as what else it is listed as. The
 * list is sealed with the key of the state folder, so that what another program writes into it counts for nothing; and the
 * chain of grants has to say that this text was trusted last, so that an older list that is put back counts for nothing.
 */
export function isTrusted(stateDir: string, root: string, text: string): boolean {
  const listed = readTrust(stateDir)[root]
  if (typeof listed !== 'string') return false
  const key = readKey(stateFiles(stateDir).key)
  const fingerprint = digest(text)
  // Most texts are not listed, and the journal is opened only for one that is.
  if (key === null || listed !== sealFor(key, root, fingerprint)) return false
  return readTrusted(stateDir).get(root) === fingerprint
}

/** Where trust is noted. */
export interface TrustPlaces {
  readonly stateDir: string
  /** The file elsewhere that is told of it; empty if there is none. */
  readonly witness: string
}

/** Records this text as the trusted configuration of a root; any other text becomes untrusted. */
export function trust(places: TrustPlaces, root: string, text: string): string {
  const { stateDir } = places
  const fingerprint = digest(text)
  noteTrust(places, root, fingerprint)
  const { key: path } = stateFiles(stateDir)
  const key = readKey(path)
  if (key === null) throw new Error(`the key ${path} cannot be read`)
  const sealed = sealFor(key, root, fingerprint)
  replaceText(trustFile(stateDir), `${JSON.stringify({ ...readTrust(stateDir), [root]: sealed }, null, 2)}\n`)
  return fingerprint
}

/** Forgets what was trusted of a root. */
export function distrust(places: TrustPlaces, root: string): void {
  const { stateDir } = places
  if (readTrusted(stateDir).has(root)) noteTrust(places, root, null)
  const { [root]: gone, ...others } = readTrust(stateDir)
  if (gone !== undefined) replaceText(trustFile(stateDir), `${JSON.stringify(others, null, 2)}\n`)
}

function noteTrust(places: TrustPlaces, root: string, fingerprint: Digest | null): void {
  const store = openStore({ ...places, durability: 'full', clock: systemClock })
  try {
    store.grants.noteTrust(root, fingerprint)
  } finally {
    store.close()
  }
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
