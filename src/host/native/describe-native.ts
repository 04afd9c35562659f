import { findNative } from './load-native.ts'

/** Whether native calls are in use and what that means for an edit, in words for a person. */
export function describeNative(): string {
  const native = findNative()
  return typeof native === 'string'
    ? `${native}; an edit overwrites what is saved in the last instant`
    : 'in use; an edit gives back what was saved in the last instant'
}
