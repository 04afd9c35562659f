import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'

const PROGRAM = ordinaryProgram(new URL('swap-process.ts', import.meta.url))

/** What became of commands during swaps. */
export interface Swaps {
  readonly uid: number
  readonly refused: number
  readonly leaked: number
  readonly held: number
  /** The same when the swaps are over. */
  readonly calm: string
  readonly damage: boolean
}

/** Runs so many commands while folders are swapped. */
export async function runSwaps(who: 'root' | 'ordinary' | 'control', rounds: number): Promise<Swaps> {
  const [node, module] = PROGRAM
  const { stdout } = await promisify(execFile)(node, [module, who, `${rounds}`])
  return JSON.parse(stdout) as Swaps
}
