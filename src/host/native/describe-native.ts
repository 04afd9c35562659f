import { findNative } from './load-native.ts'

/** Whether native calls are in use, and what follows from that, in words for a person. */
export function describeNative(): string {
  const native = findNative()
  return typeof native === 'string'
    ? `${native}: a file that another program changes in the last instant before an edit is overwritten`
    : 'in use for opening files, for metadata, for exchanging a file with its new content, and by root for mounting layers'
}
