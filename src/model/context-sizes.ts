/** Families of models whose size their makers publish; the first that fits counts. */
const CONTEXT_TOKENS: readonly (readonly [RegExp, number])[] = [
  [/^anthropic\/claude-/, 200_000],
  [/^google\/gemini-/, 1_048_576],
  [/^openai\/gpt-4\.1/, 1_047_576],
  [/^openai\/gpt-4o/, 128_000],
  [/^openai\/gpt-5/, 272_000],
  [/^openai\/o[134]/, 200_000],
]

/** How many tokens a model can look at, or null where nobody knows. */
export function contextTokensOf(model: string): number | null {
  return CONTEXT_TOKENS.find(([family]) => family.test(model))?.[1] ?? null
}
