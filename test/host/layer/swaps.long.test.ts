import { expect, it } from 'vitest'
import { runSwaps, SAFE, USERS } from './run-swaps.ts'
import { say } from '../../harness/say.ts'

const COMMANDS = Number(process.env['HARDENING_TRIES'] ?? 1_000)
const TIMEOUT_MS = 4 * 3_600_000

it.concurrent.for(USERS)(
  'no command on a layer reads denied files or what is outside, however often folders are swapped (as %s)',
  { timeout: TIMEOUT_MS },
  async (who) => {
    const swaps = await runSwaps(who, COMMANDS)
    say(`${who} ${JSON.stringify(swaps)}`)
    expect(swaps).toMatchObject({ ...SAFE, held: COMMANDS })
    expect(swaps.met).toBeGreaterThan(0)
  },
)

it.concurrent(
  'control: many commands read them if the layer is not compared with the first look',
  { timeout: TIMEOUT_MS },
  async () => {
    const swaps = await runSwaps('long control', COMMANDS)
    say(`control ${JSON.stringify(swaps)}`)
    expect(swaps.leaked).toBeGreaterThan(COMMANDS / 100)
  },
)
