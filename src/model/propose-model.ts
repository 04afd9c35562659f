import { findProvidersWithKeys } from './open-model.ts'
import type { OpenModelOptions } from './open-model.ts'

/** A model of each provider that is good at using tools; a newer name can always be given. */
const USUAL: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-sonnet-4-5',
  openai: 'openai/gpt-5',
  google: 'google/gemini-2.5-pro',
}

/** Models that could be spoken to with the keys that are set, in the order they are offered. */
export function proposeModels(env: NonNullable<OpenModelOptions['env']>): readonly string[] {
  return findProvidersWithKeys(env).flatMap((provider) => USUAL[provider] ?? [])
}
