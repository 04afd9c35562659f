import { createHmac, createSecretKey, hash, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** SHA-256 as 64 hex digits. */
export function digest(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** A key to seal texts with. */
export type SealKey = KeyObject

/** Makes a key of its bytes. */
export function sealKey(bytes: Uint8Array): SealKey {
  return createSecretKey(bytes)
}

/** A keyed SHA-256 as 64 hex digits, which only the holder of the key can make. */
export function seal(key: SealKey, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

/** Bytes nobody can guess. */
export function secretBytes(length: number): Uint8Array {
  return randomBytes(length)
}
