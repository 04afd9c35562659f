import { readFileSync } from 'node:fs'
import { UsageError } from './trouble.ts'

const MOST_BYTES = 64 * 1024 * 1024

/** All of stdin, as text. */
export function readStdin(): string {
  if (process.stdin.isTTY === true)
    throw new UsageError('there is nothing on stdin', 'pipe the JSON in, or give it as a word')
  return decode(readFileSync(0), 'stdin')
}

/** All of a file that the user named. */
export function readInput(path: string): string {
  try {
    return decode(readFileSync(path), path)
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown
    throw new UsageError(`${path} cannot be read`, 'name a file with a JSON array in it, or - for stdin')
  }
}

function decode(bytes: Uint8Array, from: string): string {
  if (bytes.length > MOST_BYTES)
    throw new UsageError(`${from} has ${bytes.length} bytes`, `at most ${MOST_BYTES} are read`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${from} is no UTF-8`, 'send the JSON as UTF-8')
  }
}
