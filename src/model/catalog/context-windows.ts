/** Context windows by model family, in tokens, as published; the first match counts. */
const CONTEXT_WINDOWS: readonly (readonly [family: RegExp, tokens: number])[] = [
  [/^anthropic\/claude-/, 200_000],
  [/^google\/gemini-/, 1_048_576],
  [/^google\/gemma-3-1b/, 32_768],
  [/^google\/gemma-3/, 131_072],
  [/^openai\/gpt-4\.1/, 1_047_576],
  [/^openai\/(?:gpt-4o|chatgpt-4o|gpt-4-turbo)/, 128_000],
  [/^openai\/gpt-4-32k/, 32_768],
  [/^openai\/gpt-4/, 8_192],
  [/^openai\/gpt-3\.5/, 16_385],
  [/^openai\/gpt-5/, 272_000],
  [/^openai\/(?:o1-mini|o1-preview)/, 128_000],
  [/^openai\/(?:o[134]|codex-mini)/, 200_000],
  [/^openai\/gpt-oss/, 131_072],
]

/** The context window of a model by its name, or null if unknown. */
export function contextWindowOf(model: string): number | null {
  return CONTEXT_WINDOWS.find(([family]) => family.test(model))?.[1] ?? null
}

/** A context window in a few characters, such as `200k`. */
export function showTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return tokens < 1_000_000 ? `${Math.floor(tokens / 1_000)}k` : `${Math.floor(tokens / 100_000) / 10}M`
}
