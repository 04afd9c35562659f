type Row = readonly [family: RegExp, tokens: number]

/** Context windows by model family, in tokens, as published; the first match counts. */
const PROVIDER_WINDOWS: readonly Row[] = [
  [/^anthropic\/claude-/, 200_000],
  [/^google\/gemini-1\.5-pro/, 2_097_152],
  [/^google\/gemini-/, 1_048_576],
  [/^google\/gemma-3-1b/, 32_768],
  [/^google\/gemma-3/, 131_072],
  [/^openai\/gpt-4\.1/, 1_047_576],
  [/^openai\/(?:gpt-4o|chatgpt-4o|gpt-4-turbo|gpt-4\.5)/, 128_000],
  [/^openai\/gpt-4-32k/, 32_768],
  [/^openai\/gpt-4/, 8_192],
  [/^openai\/gpt-3\.5/, 16_385],
  [/^openai\/gpt-5[^/]*-chat/, 128_000],
  [/^openai\/gpt-5/, 272_000],
  [/^openai\/(?:o1-mini|o1-preview)/, 128_000],
  [/^openai\/(?:o[134]|codex-mini)/, 200_000],
  [/^openai\/gpt-oss/, 131_072],
]

/** Open models by the last part of their names, as servers spell them; what a server really gives them may be less. */
const OPEN_WINDOWS: readonly Row[] = [
  [/^gpt-oss/, 131_072],
  [/^qwen-?2\.5/, 32_768],
  [/^qwen-?3-?coder/, 262_144],
  [/^qwen-?3.*2507/, 262_144],
  [/^qwen-?3-?(?:next|max)/, 262_144],
  [/^qwen-?3/, 40_960],
  [/^qwq/, 40_960],
  [/^deepseek-(?:chat|reasoner|v3|r1)/, 131_072],
  [/^deepseek-coder/, 16_384],
  [/^(?:meta-)?llama-?4/, 1_048_576],
  [/^(?:meta-)?llama-?3\.[123]/, 131_072],
  [/^(?:meta-)?llama-?3/, 8_192],
  [/^codellama/, 16_384],
  [/^(?:devstral|mistral-(?:small|medium|large|nemo)|magistral|ministral)/, 131_072],
  [/^codestral/, 32_768],
  [/^mi(?:s|x)tral/, 32_768],
  [/^gemma-?3-?:?1b/, 32_768],
  [/^gemma-?3/, 131_072],
  [/^gemma-?2/, 8_192],
  [/^phi-?4-mini/, 131_072],
  [/^phi-?4/, 16_384],
  [/^kimi-k2/, 131_072],
  [/^glm-4\.[5-9]/, 131_072],
  [/^grok-(?:4|code)/, 256_000],
  [/^granite-?(?:3\.[1-9]|4)/, 131_072],
]

const COMPATIBLE = 'compatible/'

/** The context window of a model by its name, or null if unknown. Servers for many providers keep their names. */
export function contextWindowOf(model: string): number | null {
  const name = model.startsWith(COMPATIBLE) ? model.slice(COMPATIBLE.length).toLowerCase() : model
  const found = find(PROVIDER_WINDOWS, name)
  if (found !== null || name === model) return found
  return find(OPEN_WINDOWS, name.slice(name.lastIndexOf('/') + 1))
}

function find(rows: readonly Row[], name: string): number | null {
  return rows.find(([family]) => family.test(name))?.[1] ?? null
}

/** A context window in a few characters, such as `200k`. */
export function showTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return tokens < 1_000_000 ? `${Math.floor(tokens / 1_000)}k` : `${Math.floor(tokens / 100_000) / 10}M`
}
