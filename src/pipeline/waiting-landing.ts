import { Buffer } from 'node:buffer'
import type { KnownFolder } from '../workspace/landing/folder-identities.ts'
import type { HeldMarks } from '../workspace/landing/contents/held-marks.ts'
import type { LayerHunks } from '../workspace/staging/layer-hunks.ts'
import { isJsonObject, parseJson } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Layer } from '../core/layer.ts'
import type { HiddenPart } from '../core/result.ts'
import type { Digest, LandingEntry } from '../journal/entries/entry.ts'

/** What the answer of the call is made from, besides its changes. */
export interface LandingRest {
  readonly layer: Layer
  readonly output: JsonObject
  readonly notes: readonly string[]
  readonly hidden: readonly HiddenPart[]
  /** The hunks that an answer may choose from; null if only all of it can be taken. */
  readonly hunks?: LayerHunks | null
  /** The extended attributes that its changes name, in base64 by their digests. */
  readonly attributes?: Readonly<Record<string, string>>
  /** The folders that its changes are made in. */
  readonly folders?: readonly KnownFolder[]
  /** The attributes of the files on the layer, as they were when the question was asked. */
  readonly marks?: HeldMarks
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

/** Attributes as they are kept for an answer. */
export function packAttributes(attributes: ReadonlyMap<Digest, Uint8Array>): Record<string, string> {
  return Object.fromEntries(
    [...attributes].map(([digest, payload]) => [digest, Buffer.from(payload).toString('base64')]),
  )
}

/** The attributes that were kept. */
export function unpackAttributes({ attributes = {} }: LandingRest): ReadonlyMap<Digest, Uint8Array> {
  return new Map(
    Object.entries(attributes).map(([digest, text]) => [digest, Buffer.from(text, 'base64')] as const),
  )
}

/** Reads what a waiting landing needs. */
export function readLanding(
  entry: LandingEntry,
  seq: number,
  payload: (digest: string) => Uint8Array | null,
): WaitingLanding {
  const bytes = payload(entry.rest)
  // Addressed by its digest; whether this pipeline wrote it is found out before anything of it lands.
  const rest = bytes === null ? null : parseJson(new TextDecoder().decode(bytes))
  return { entry, seq, rest: isJsonObject(rest) ? (rest as unknown as LandingRest) : null }
}
