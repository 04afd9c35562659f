import { isJsonObject } from '../../core/json/value.ts'
import type { PriceSetting } from '../../config/kinds/table-kinds.ts'
import type { ModelDelta } from '../../model/model-client.ts'
import type { Usage } from '../events.ts'

/** The limits of one turn; absent means unlimited. A turn that reaches one stops with `budget`. */
export interface Limits {
  readonly maxTokens?: number
  readonly maxSeconds?: number
  /** By the configured price of the model. */
  readonly maxCost?: number
}

/** The abort reason of a turn whose time is up. */
export const TIME_IS_UP = 'budget'

/** Nothing used yet. */
export const NOTHING_USED: Usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost: null }

const MILLION = 1_000_000

/** The sum; the cost counts only what has a price. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cached_tokens: one.cached_tokens + other.cached_tokens,
    cost: one.cost === null && other.cost === null ? null : (one.cost ?? 0) + (other.cost ?? 0),
  }
}

/** The configured price of a model, or null. */
export function priceOf(model: string, prices: readonly PriceSetting[]): PriceSetting | null {
  return prices.find((price) => fits(model, price.model)) ?? null
}

function fits(model: string, pattern: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern
}

/** The cost of tokens; cached input has its own price. */
export function costOf(usage: Omit<Usage, 'cost'>, price: PriceSetting | null): number | null {
  if (price === null) return null
  const fresh = Math.max(0, usage.input_tokens - usage.cached_tokens)
  const sum = fresh * price.input + usage.cached_tokens * price.cached + usage.output_tokens * price.output
  return sum / MILLION
}

/** The usage that a model reported, with its cost. */
export function priceUsage(
  { input, output, cached }: Extract<ModelDelta, { type: 'usage' }>,
  model: string,
  prices: readonly PriceSetting[],
): Usage {
  const tokens = { input_tokens: input, output_tokens: output, cached_tokens: cached }
  return { ...tokens, cost: costOf(tokens, priceOf(model, prices)) }
}

/** Rejects limits that could not be enforced, such as a cost limit for a model without a price. */
export function checkLimits(limits: Limits, model: string, prices: readonly PriceSetting[]): void {
  for (const name of ['maxTokens', 'maxSeconds', 'maxCost'] as const) {
    const most: unknown = limits[name]
    // A caller without types may pass anything.
    if (most !== undefined && (typeof most !== 'number' || !(most >= 0)))
      throw new BudgetError(`${name} is ${String(most)}`, 'give a number of 0 or more, or leave it out')
  }
  if (limits.maxCost !== undefined && priceOf(model, prices) === null)
    throw new BudgetError(`a cost limit needs the price of ${model}`, 'configure it in model.prices')
}

/** The least that another request uses, if it repeats the whole input of the one before. */
export function minimumUsage(before: Usage, model: string, prices: readonly PriceSetting[]): Usage {
  const { input_tokens } = before
  const tokens = { input_tokens, output_tokens: 0, cached_tokens: input_tokens }
  return { ...tokens, cost: costOf(tokens, priceOf(model, prices)) }
}

/** Whether a turn has reached one of its limits. */
export function isSpent(usage: Usage, elapsedMs: number, limits: Limits): boolean {
  const { maxTokens, maxSeconds, maxCost } = limits
  const tokens = usage.input_tokens + usage.output_tokens
  return (
    (maxTokens !== undefined && tokens >= maxTokens) ||
    (maxCost !== undefined && (usage.cost ?? 0) >= maxCost) ||
    (maxSeconds !== undefined && elapsedMs >= maxSeconds * 1000)
  )
}

/** Reads the usage from a note in the log. */
export function readUsage(data: unknown): Usage {
  const found: Readonly<Record<string, unknown>> = isJsonObject(data) ? data : {}
  const count = (name: string): number => (typeof found[name] === 'number' ? found[name] : 0)
  return {
    input_tokens: count('input_tokens'),
    output_tokens: count('output_tokens'),
    cached_tokens: count('cached_tokens'),
    cost: typeof found['cost'] === 'number' ? found['cost'] : null,
  }
}

/** A limit that cannot be enforced: what is wrong, and what to do. */
export class BudgetError extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'BudgetError'
    this.hint = hint
  }
}
