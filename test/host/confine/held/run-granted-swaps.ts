import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ordinaryProgram } from '../../../harness/ordinary-user.ts'

const PROGRAM = ordinaryProgram(new URL('granted-swap-process.ts', import.meta.url))

/** What became of commands while what they were granted was exchanged for links. */
export interface GrantedSwaps {
  readonly uid: number
  /** Commands that never started. */
  readonly refused: number
  readonly leaked: number
  /** Commands that ran to their end and read nothing denied or outside. */
  readonly held: number
  readonly swaps: number
  /** What became of a command before the first swap. */
  readonly first: string
  /** Whether one wrote outside. */
  readonly isDamaged: boolean
}

/** Runs commands during swaps until so many ran. */
export async function runGrantedSwaps(
  who: 'root' | 'ordinary',
  how: 'held' | 'control',
  wanted: number,
): Promise<GrantedSwaps> {
  const [node, module] = PROGRAM
  const { stdout } = await promisify(execFile)(node, [module, who, how, `${wanted}`])
  return JSON.parse(stdout) as GrantedSwaps
}
