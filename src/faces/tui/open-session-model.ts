import { findLastModel, serverFor } from '../../agent/log/last-model.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel } from '../../model/open-model.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'

/** A model for a session, and a note about its server. */
export interface SessionModel {
  readonly client: ModelClient
  readonly note: string | null
}

/**
 * Opens a model for a session: by its name, or with `latest` the last one used there, else the usual one; null if there
 * is none. Throws a ModelError if it cannot be opened.
 */
export async function openSessionModel(
  wanted: string,
  log: SessionLog,
  opening: Pick<AppOpening, 'model' | 'usualModel' | 'baseUrl'>,
): Promise<SessionModel | null> {
  const latest = findLastModel(log)
  const spec = wanted === 'latest' ? (latest?.model ?? opening.usualModel) : wanted
  if (spec === null) return null
  const isGiven = isMeantFor(spec, opening.model ?? opening.usualModel)
  const givenUrl = (wanted === 'latest' && latest !== null) || isGiven ? opening.baseUrl : null
  const baseUrl = serverFor(spec, givenUrl, latest)
  const client = await openModel(spec, { env: process.env, ...(baseUrl === null ? {} : { baseUrl }) })
  const isFromBefore = baseUrl !== null && givenUrl === null
  return {
    client,
    note: isFromBefore ? `Using ${spec} at ${baseUrl}, as before in this session.` : null,
  }
}

/** A given base URL belongs to one provider; the key of another is never sent there. */
function isMeantFor(spec: string, named: string | null): boolean {
  return providerOf(spec) === providerOf(named ?? '')
}

/** Without a name, a compatible server is meant: only that needs a base URL. */
function providerOf(spec: string): string {
  return /^\w+(?=\/)/.exec(spec)?.[0] ?? 'compatible'
}
