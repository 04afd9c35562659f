import { ModelError } from '../model/model-client.ts'
import { openModel } from '../model/open-model.ts'

/** A model that is tried. */
export interface Trial {
  readonly spec: string
  readonly baseUrl: string | null
  readonly key: string | null
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

/** How a small request ended. */
export type TrialEnd =
  | { readonly ok: true }
  | { readonly ok: false; readonly isKeyRefused: boolean; readonly message: string }

const TIMEOUT_MS = 30_000

/** Sends one small request and waits for the first sign of an answer. */
export async function tryModel(trial: Trial): Promise<TrialEnd> {
  const { spec, baseUrl, key, signal, timeoutMs = TIMEOUT_MS } = trial
  const timeout = AbortSignal.timeout(timeoutMs)
  const stop = AbortSignal.any([signal, timeout])
  try {
    const client = await openModel(spec, { key, env: {}, ...(baseUrl === null ? {} : { baseUrl }) })
    const messages = [{ role: 'user' as const, text: 'Say OK.' }]
    for await (const delta of client.stream({ system: '', messages, tools: [] }, stop))
      if (delta.type !== 'usage') break
    return { ok: true }
  } catch (thrown) {
    if (timeout.aborted) {
      const message = `${spec} did not answer within ${timeoutMs / 1000} s. Try again later.`
      return { ok: false, isKeyRefused: false, message }
    }
    if (!(thrown instanceof ModelError)) throw thrown
    const isKeyRefused = thrown.code === 'auth'
    const message = isKeyRefused
      ? `${spec} was refused: its server does not accept this key.`
      : thrown.message
    return { ok: false, isKeyRefused, message }
  }
}
