import { describe, expect, it } from 'vitest'
import { runSwaps } from './run-swaps.ts'

const ROUNDS = 25

describe('a command on a layer, while another process swaps a folder for a link', () => {
  it.concurrent.for(['root', 'ordinary'] as const)(
    'reads neither denied files nor what is outside (as %s)',
    async (who) => {
      const { uid, leaked, refused, held, calm, damage } = await runSwaps(who, ROUNDS)
      expect(uid === 0).toBe(who === 'root' && process.getuid?.() === 0)
      expect({ leaked, tried: refused + held, calm, damage }).toEqual({
        leaked: 0,
        tried: ROUNDS,
        calm: 'held',
        damage: false,
      })
    },
  )

  it.concurrent('would read them if the layer were not compared with the first look', async () => {
    expect((await runSwaps('control', 20 * ROUNDS)).leaked).toBeGreaterThan(0)
  })
})
