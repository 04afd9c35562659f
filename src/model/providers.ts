import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { ATTACHMENT_TYPES } from '../core/attachment/attachment.ts'
import type { AttachmentType } from '../core/attachment/attachment.ts'
import { fetchAnswer } from './fetch-answer.ts'
import type { IdRules } from './call-labels.ts'
import type { AttachedTo } from './sent-attachments.ts'

/** How a provider's package is opened. */
export interface ProviderSettings {
  readonly name: string
  readonly baseUrl: string
  readonly key: string | null
}

/** A provider; its package is loaded when it is opened. */
export interface Provider {
  /** What people call it. */
  readonly title: string
  /** Where people get a key; null if that depends on the server. */
  readonly keyPage: string | null
  /** Environment variables that may contain its key; the first one set counts. */
  readonly keyNames: readonly string[]
  readonly needsKey: boolean
  /** Null if the user has to give it. */
  readonly baseUrl: string | null
  readonly providerOptions: SharedV4ProviderOptions
  /** Marks the instructions as the end of what stays the same; null if the provider finds that by itself. */
  readonly cacheMarker: SharedV4ProviderOptions | null
  readonly ids: IdRules
  /** The pictures and documents that a model takes, by its name. */
  readonly takes: (name: string) => readonly AttachmentType[]
  readonly attachedTo: AttachedTo
  readonly open: (settings: ProviderSettings) => Promise<LanguageModelV4>
}

/** Models of OpenAI that take text only. */
const TEXT_ONLY = /^(?:gpt-3\.5|gpt-4(?:-\d{4}|$)|gpt-4-32k|o1-mini|o1-preview|o3-mini)/

const ANY_ID: IdRules = { pattern: /./su, isOncePerRequest: false }

/** The providers by the first word of a model's name. */
export const PROVIDERS = {
  anthropic: {
    title: 'Anthropic',
    keyPage: 'console.anthropic.com/settings/keys',
    keyNames: ['ANTHROPIC_API_KEY'],
    needsKey: true,
    baseUrl: 'https://api.anthropic.com/v1',
    // The provider moves the cache marker to the end of each request by itself.
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    cacheMarker: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    ids: { pattern: /^[\w-]+$/, isOncePerRequest: true },
    takes: () => ATTACHMENT_TYPES,
    attachedTo: 'result',
    open: async ({ name, baseUrl, key }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ baseURL: baseUrl, apiKey: key ?? '', fetch: fetchAnswer }).languageModel(name)
    },
  },
  openai: {
    title: 'OpenAI',
    keyPage: 'platform.openai.com/api-keys',
    keyNames: ['OPENAI_API_KEY'],
    needsKey: true,
    baseUrl: 'https://api.openai.com/v1',
    // The provider stores nothing; reasoning comes encrypted and is sent back with the next request.
    providerOptions: { openai: { store: false } },
    cacheMarker: null,
    ids: { pattern: /^.{1,64}$/su, isOncePerRequest: false },
    takes: (name) => (TEXT_ONLY.test(name) ? [] : ATTACHMENT_TYPES),
    attachedTo: 'result',
    open: async ({ name, baseUrl, key }) => {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ baseURL: baseUrl, apiKey: key ?? '', fetch: fetchAnswer }).responses(name)
    },
  },
  google: {
    title: 'Google',
    keyPage: 'aistudio.google.com/apikey',
    keyNames: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    needsKey: true,
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    providerOptions: {},
    cacheMarker: null,
    ids: ANY_ID,
    // GIF is not among the types that it documents.
    takes: () => ATTACHMENT_TYPES.filter((type) => type !== 'image/gif'),
    attachedTo: 'result',
    open: async ({ name, baseUrl, key }) => {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle({ baseURL: baseUrl, apiKey: key ?? '', fetch: fetchAnswer }).languageModel(name)
    },
  },
  compatible: {
    title: "Another server with OpenAI's API",
    keyPage: null,
    // A separate variable, so that the key of one provider is never sent to another server.
    keyNames: ['COMPATIBLE_API_KEY'],
    needsKey: false,
    baseUrl: null,
    providerOptions: {},
    cacheMarker: null,
    ids: ANY_ID,
    // Most of these servers reject a request with a picture if the model takes none, so the user has to say that it does.
    takes: () => [],
    attachedTo: 'message',
    open: async ({ name, baseUrl, key }) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'compatible',
        baseURL: baseUrl,
        includeUsage: true,
        fetch: fetchAnswer,
        ...(key === null ? {} : { apiKey: key }),
      }).languageModel(name)
    },
  },
} as const satisfies Record<string, Provider>

/** The first word of a model's name. */
export type ProviderName = keyof typeof PROVIDERS

/** All of them, in the order they are offered. */
export const PROVIDER_NAMES: readonly ProviderName[] = Object.keys(PROVIDERS).filter(isProviderName)

/** True for a word that names a provider. */
export function isProviderName(word: string): word is ProviderName {
  return Object.hasOwn(PROVIDERS, word)
}
