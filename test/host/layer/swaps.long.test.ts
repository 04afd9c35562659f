import { expect, it } from 'vitest'
import { runSwaps } from './run-swaps.ts'

const ROUNDS = 500

it.for(['root', 'ordinary'] as const)(
  'no command on a layer reads denied files or what is outside, however often folders are swapped (as %s)',
  async (who) => {
    const { leaked, refused, held, damage } = await runSwaps(who, ROUNDS)
    expect({ leaked, tried: refused + held, damage }).toEqual({ leaked: 0, tried: ROUNDS, damage: false })
    expect(held).toBeGreaterThan(0)
  },
)
