import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { ModelClient } from '../../model/model-client.ts'
import type { ModelAddress } from '../../journal/entries/model-note.ts'

/** The model and server of a client, as far as they may be recorded. */
export function addressOf({ id, baseUrl = '' }: ModelClient): ModelAddress {
  const isPlain = baseUrl !== '' && !/[?#@]/.test(baseUrl) && redactSecrets(baseUrl) === baseUrl
  return { model: id, baseUrl: isPlain ? baseUrl : null }
}
