import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Clock } from '../../../../src/core/clock.ts'
import { seeded } from '../world/random.ts'

const { randomFillSync, randomBytes } = crypto
const { resourceUsage } = process
/** What a call uses of the machine is in its entry. */
const USAGE = resourceUsage()
/** Longer random texts only fill a file, and repeat themselves. */
const BLOCK_BYTES = 4096
/** Midnight of some day. */
const START_MS = 1_700_000_000_000

/** A machine whose clock and random bytes come from a seed. */
export interface SeededMachine {
  readonly clock: Clock
  readonly random: () => number
  /** Gives the machine its own random bytes again. */
  readonly end: () => void
}

/** Lets everything that is random in this process, and the time, come from a seed. */
export function seedMachine(seed: number): SeededMachine {
  const random = seeded(seed)
  const bytes = seeded(seed ^ 0x5eed)
  let now = START_MS
  const fill = <T extends ArrayBufferView>(view: T): T => {
    const target = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    const block = target.subarray(0, BLOCK_BYTES)
    for (let at = 0; at < block.length; at++) block[at] = Math.floor(bytes() * 256)
    for (let at = BLOCK_BYTES; at < target.length; at += BLOCK_BYTES)
      target.set(block.subarray(0, target.length - at), at)
    return view
  }
  Object.assign(crypto, { randomFillSync: fill, randomBytes: (size: number) => fill(Buffer.alloc(size)) })
  syncBuiltinESMExports()
  process.resourceUsage = () => USAGE
  return {
    random,
    // It goes on by one with each look, so that nothing depends on how quick the machine is.
    clock: { now: () => ++now, elapsed: () => ++now - START_MS },
    end: () => {
      process.resourceUsage = resourceUsage
      Object.assign(crypto, { randomFillSync, randomBytes })
      syncBuiltinESMExports()
    },
  }
}
