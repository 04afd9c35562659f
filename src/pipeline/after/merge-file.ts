import { Buffer } from 'node:buffer'
import { mergeLines } from '../../core/text/merge-lines.ts'
import { splitLines } from '../../core/text/split-lines.ts'
import { unifiedDiff } from '../../core/text/unified-diff.ts'
import type { Digest, FileChange } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { SPECIAL_BITS } from '../../workspace/staging/special-rights.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** A file that changed since, merged with what is to be reverted; or why it cannot be. */
export type MergedFile =
  | {
      readonly ok: true
      /** Null if nothing of the calls is left in it. */
      readonly change: FileChange | null
      readonly payloads: ReadonlyMap<Digest, Uint8Array>
      readonly diff: string
    }
  | { readonly ok: false; readonly why: string }

/** What merging needs. */
export interface MergeDeps {
  readonly log: Pick<SessionLog, 'payload'>
  readonly workspace: Pick<Workspace, 'readCurrent' | 'readSide'>
  readonly digest: (bytes: Uint8Array) => Digest
  readonly maxBytes: number
}

/**
 * Takes the reversed changes of one file, in the order in which they would be made, out of what the file holds now. Each
 * is a three-way merge: what the call left is the base, the file as it is one side, and the file before the call the
 * other. So lines that somebody else changed stay as they are.
 */
export function mergeFile(steps: readonly FileChange[], deps: MergeDeps): MergedFile {
  const [first] = steps
  if (first === undefined) return { ok: false, why: 'there is nothing to merge' }
  const { root, path } = first
  const now = deps.workspace.readCurrent(root, path, deps.maxBytes)
  if (now === null)
    return { ok: false, why: 'it was removed, replaced by something that is not a file, or is too large' }
  if (isBinary(now.bytes)) return { ok: false, why: 'it is a binary file' }
  let text = textOf(now.bytes)
  let { mode } = now.state
  for (const step of steps) {
    const sides = readSides(step, deps)
    if ('why' in sides) return { ok: false, why: sides.why }
    const merged = mergeLines(splitLines(sides.base), splitLines(text), splitLines(sides.wanted))
    if (!merged.ok) return { ok: false, why: `both changed line ${merged.conflicts.join(', line ')}` }
    const merging = mergeModes(sides.modes, mode)
    if (merging === null) return { ok: false, why: 'both changed its mode' }
    text = merged.lines.join('')
    mode = merging
  }
  const bytes = Buffer.from(text, 'latin1')
  const merged = deps.digest(bytes)
  // Special rights come back only with the content that had them.
  const isOnRecord = merged === steps.at(-1)?.after?.digest
  const kept = merged === now.state.digest ? now.state.mode & SPECIAL_BITS : 0
  if (!isOnRecord) mode = (mode & ~SPECIAL_BITS) | kept
  const after = { ...now.state, digest: merged, mode }
  if (after.digest === now.state.digest && mode === now.state.mode)
    return { ok: true, change: null, payloads: new Map(), diff: '' }
  return {
    ok: true,
    change: { root, path, before: now.state, after, folders: [] },
    payloads: new Map<Digest, Uint8Array>([
      [now.state.digest, now.bytes],
      [after.digest, bytes],
    ]),
    diff: diffOf(path, now.bytes, bytes),
  }
}

/** Bytes are kept as they are, whatever their encoding: each becomes one character. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0)
}

interface Sides {
  readonly base: string
  readonly wanted: string
  readonly modes: { readonly base: number; readonly wanted: number }
}

function readSides(step: FileChange, deps: MergeDeps): Sides | { readonly why: string } {
  const { before, after } = step
  if (before === null || after === null || before.kind !== undefined || after.kind !== undefined)
    return {
      why:
        after === null
          ? 'the call created it'
          : before === null
            ? 'the call removed it'
            : 'it is not a regular file',
    }
  const [base, wanted] = [contentOf(step, 'before', deps), contentOf(step, 'after', deps)]
  if (base === null || wanted === null) return { why: 'its earlier content is not on record any more' }
  if (isBinary(base) || isBinary(wanted)) return { why: 'it is a binary file' }
  return { base: textOf(base), wanted: textOf(wanted), modes: { base: before.mode, wanted: after.mode } }
}

function contentOf(
  step: FileChange,
  side: 'before' | 'after',
  { log, workspace, maxBytes }: MergeDeps,
): Uint8Array | null {
  const state = step[side]
  if (state === null) return null
  const stored = log.payload(state.digest) ?? workspace.readSide(step, side, maxBytes)
  return stored !== null && stored.length > maxBytes ? null : stored
}

/** The mode that both sides together give; null if they disagree. */
function mergeModes({ base, wanted }: Sides['modes'], now: number): number | null {
  if (now === base) return wanted
  return wanted === base || wanted === now ? now : null
}

function diffOf(path: string, before: Uint8Array, after: Uint8Array): string {
  const utf8 = new TextDecoder()
  return unifiedDiff({ path, before: utf8.decode(before), after: utf8.decode(after) })
}
