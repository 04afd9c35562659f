import { trimEndOf } from '../core/text/trim-end.ts'
import { isProviderName } from './providers.ts'
import type { ProviderName } from './providers.ts'

/** A model's name in its parts. */
export interface ModelSpec {
  readonly provider: ProviderName
  /** What the provider calls it. */
  readonly name: string
}

/** Reads a name such as `anthropic/NAME`; null if it names no model of a provider, as `script:FILE` does not. */
export function readSpec(spec: string): ModelSpec | null {
  const slash = spec.indexOf('/')
  const [provider, name] = [spec.slice(0, Math.max(slash, 0)), spec.slice(slash + 1)]
  return isProviderName(provider) && name !== '' && !/\s/.test(name) ? { provider, name } : null
}

/** The provider of a model; null if it has none. */
export function providerOf(spec: string): ProviderName | null {
  return readSpec(spec)?.provider ?? null
}

/** A base URL in one spelling: a slash at its end means nothing. */
export function plainUrl(baseUrl: string): string {
  return trimEndOf(baseUrl, '/')
}
