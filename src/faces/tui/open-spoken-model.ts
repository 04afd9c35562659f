import { findSpokenWith, serverFor } from '../../agent/spoken-with.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel } from '../../model/open-model.ts'

/** A model for a session, and what a person should know about where it is reached. */
export interface SpokenModel {
  readonly client: ModelClient
  readonly note: string | null
}

/**
 * Opens a model to speak with in a session: by its name, or with `latest` the one it was last spoken with, null where
 * nobody ever was. A ModelError says why it cannot be had.
 */
export async function openSpokenModel(
  wanted: string,
  log: SessionLog,
  givenUrl: string | null,
): Promise<SpokenModel | null> {
  const latest = findSpokenWith(log)
  const spec = wanted === 'latest' ? (latest?.model ?? null) : wanted
  if (spec === null) return null
  const baseUrl = serverFor(spec, givenUrl, latest)
  const client = await openModel(spec, { env: process.env, ...(baseUrl === null ? {} : { baseUrl }) })
  const isFromBefore = baseUrl !== null && givenUrl === null
  return {
    client,
    note: isFromBefore ? `${spec} is reached at ${baseUrl}, as before in this session.` : null,
  }
}
