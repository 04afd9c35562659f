import { findNative } from './load-native.ts'

/** Whether native calls are in use, in words for a person. */
export function describeNative(): string {
  const native = findNative()
  return typeof native === 'string' ? native : 'in use for opening files and for metadata'
}
