import { findNative, WITHOUT_NATIVE } from '../../src/host/native/load-native.ts'
import type { NativeSource } from '../../src/host/native/load-native.ts'
import type { Native } from '../../src/host/native/native.ts'

/** Native code, which is installed wherever tests run. */
export function requireNative(): Native {
  const native = findNative()
  if (typeof native === 'string') throw new Error(`there is no native code: ${native}`)
  return native
}

/** Uses native code from the first call on. */
export const ALWAYS_NATIVE: NativeSource = requireNative

/** Both ways of doing the same, for tests that hold for either. */
export const BOTH_WAYS = [
  ['without native code', WITHOUT_NATIVE],
  ['with native code', ALWAYS_NATIVE],
] as const
