/** A property that only Draft 2020-12 can describe: a text, then a whole number, and nothing more. */
export const PAIR_SCHEMA = {
  type: 'array',
  description: 'A pair',
  prefixItems: [{ type: 'string' }, { type: 'integer' }],
  items: false,
} as const
