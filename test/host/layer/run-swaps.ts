import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'

const PROGRAM = ordinaryProgram(new URL('swap-process.ts', import.meta.url))

/** What became of commands during swaps. */
export interface Swaps {
  readonly uid: number
  /** Commands that never started. */
  readonly refused: number
  /** Commands that ran, of which nothing was shown because what they could see was moved meanwhile. */
  readonly moved: number
  readonly leaked: number
  /** Commands that ran to their end and read nothing denied. */
  readonly held: number
  /** Those of them during which something was swapped. */
  readonly met: number
  readonly swaps: number
  /** What became of a command before the first swap, and after the last. */
  readonly first: string
  readonly calm: string
  readonly damage: boolean
}

/** Who runs commands on layers. Without native code, root mounts them by programs, as others do. */
export const USERS = ['root', 'ordinary', 'root without native code'] as const

/** What holds for every command on a layer, whatever is swapped. */
export const SAFE = {
  leaked: 0,
  first: 'held',
  calm: 'held',
  damage: false,
} as const satisfies Partial<Swaps>

/** Runs commands while folders are swapped, until so many ran. */
export async function runSwaps(
  who: (typeof USERS)[number] | 'control' | 'long control',
  wanted: number,
): Promise<Swaps> {
  const [node, module] = PROGRAM
  const { stdout } = await promisify(execFile)(node, [module, who, `${wanted}`])
  return JSON.parse(stdout) as Swaps
}
