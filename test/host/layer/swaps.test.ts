import { describe, expect, it } from 'vitest'
import { runSwaps, SAFE, USERS } from './run-swaps.ts'
import { roundsOf, someOf } from '../../harness/long-run.ts'

const COMMANDS = roundsOf(5, 15)

describe('a command on a layer, while another process swaps a folder for a link', () => {
  it.concurrent.for(someOf(USERS, 1))(
    'reads neither denied files nor what is outside (as %s)',
    async (who) => {
      const swaps = await runSwaps(who, COMMANDS)
      expect(swaps.uid === 0).toBe(who !== 'ordinary' && process.getuid?.() === 0)
      expect(swaps).toMatchObject({ ...SAFE, held: COMMANDS })
    },
  )

  it.concurrent('would read them if the layer were not compared with the first look', async () => {
    expect((await runSwaps('control', 300)).leaked).toBeGreaterThan(0)
  })
})
