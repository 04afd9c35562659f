import { createHmac, hash, randomBytes } from 'node:crypto'

/** SHA-256 as 64 hex digits. */
export function digest(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** A keyed SHA-256 as 64 hex digits, which only the holder of the key can make. */
export function seal(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

/** Bytes nobody can guess. */
export function secretBytes(length: number): Uint8Array {
  return randomBytes(length)
}
