import type { LayerHunks } from '../workspace/staging/layer-hunks.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Layer } from '../core/layer.ts'
import type { HiddenPart } from '../core/result.ts'
import type { LandingEntry } from '../journal/entries/entry.ts'

/** What the answer of the call is made from, besides its changes. */
export interface LandingRest {
  readonly layer: Layer
  readonly output: JsonObject
  readonly notes: readonly string[]
  readonly hidden: readonly HiddenPart[]
  /** The hunks that an answer may choose from; null if only all of it can be taken. */
  readonly hunks?: LayerHunks | null
  /** When its process began, in epoch milliseconds. */
  readonly startedAt: number
}

/** A landing that waited, read from the log. */
export interface WaitingLanding {
  readonly entry: LandingEntry
  /** The place of the entry in the log of its session. */
  readonly seq: number
  /** Null if it was erased. */
  readonly rest: LandingRest | null
}

/** Reads what a waiting landing needs. */
export function readLanding(
  entry: LandingEntry,
  seq: number,
  payload: (digest: string) => Uint8Array | null,
): WaitingLanding {
  const bytes = payload(entry.rest)
  // Written by this pipeline and addressed by its digest.
  const rest = bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as LandingRest)
  return { entry, seq, rest }
}
