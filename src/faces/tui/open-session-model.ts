import { findLastModel, serverFor } from '../../agent/log/last-model.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { configuredServer, keySourcesOf } from '../../agent/model-access.ts'
import type { Settings } from '../../config/keys.ts'
import { noticeOpenFile } from '../../model/keys/stored-keys.ts'
import { openModel } from '../../model/open-model.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'

/** Instead of a name: the last model used in the session, or else the usual one. */
export const LATEST = 'latest'

/** A model as it is asked for. */
export interface WantedModel {
  /** As in `anthropic/NAME`, or the word above. */
  readonly model: string
  /** Null is the server that the options, the session or the configuration name. */
  readonly baseUrl: string | null
  /** The size of its context window, if a person or its server has told it. */
  readonly contextTokens: number | null
}

/** A model for a session, and a note about its server. */
export interface SessionModel {
  readonly client: ModelClient
  readonly note: string | null
}

/**
 * Opens a model for a session: by its name, or the last one used there or else the usual one; null if there is none.
 * Throws a ModelError if it cannot be opened.
 */
export async function openSessionModel(
  wanted: WantedModel,
  log: SessionLog,
  opening: Pick<AppOpening, 'model' | 'usualModel' | 'baseUrl'>,
  settings: Settings,
): Promise<SessionModel | null> {
  const latest = findLastModel(log)
  const configured = settings['model.name'] === '' ? null : settings['model.name']
  const usual = opening.usualModel ?? configured
  const spec = wanted.model === LATEST ? (latest?.model ?? usual) : wanted.model
  if (spec === null) return null
  const isOfSession = wanted.model === LATEST && latest !== null
  const isNamed = isOfSession || isMeantFor(spec, opening.model ?? usual)
  const givenUrl = wanted.baseUrl ?? (isNamed ? opening.baseUrl : null)
  const configuredUrl = configuredServer(spec, settings)
  // What was set up counts for the model that was set up; any other one stays where the session had it.
  const ownUrl = givenUrl ?? (spec === configured ? configuredUrl : null)
  const baseUrl = serverFor(spec, ownUrl, latest) ?? configuredUrl
  const keys = keySourcesOf(settings, process.env)
  const notice = keys.file === null ? null : noticeOpenFile(keys.file)
  const client = await openModel(spec, { keys, ...(baseUrl === null ? {} : { baseUrl }) })
  const isFromBefore = baseUrl !== null && ownUrl === null && baseUrl !== configuredUrl
  return {
    client: wanted.contextTokens === null ? client : { ...client, contextTokens: wanted.contextTokens },
    note: isFromBefore ? `Using ${spec} at ${baseUrl}, as before in this session.` : notice,
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
