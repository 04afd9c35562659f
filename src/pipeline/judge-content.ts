import { ToolFailure } from '../core/error.ts'
import type { Transaction } from '../workspace/workspace.ts'
import type { House } from './house.ts'

/** Has the staged contents judged before anything is committed or asked about: throws the refusal, else returns notes. */
export async function judgeContent(transaction: Transaction, house: House): Promise<readonly string[]> {
  const staged = transaction.stagedContents()
  if (staged.length === 0) return []
  const { refusal, notes } = await house.checkContent(staged)
  if (refusal !== null) throw new ToolFailure(refusal)
  return notes
}
