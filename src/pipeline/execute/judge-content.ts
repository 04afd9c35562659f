import { ToolFailure } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { StagedContent } from '../../workspace/staging/staged-content.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import type { Engine } from '../engine.ts'

const NO_NOTES: readonly string[] = []

/** Judges the staged contents before anything is committed or asked about: throws a refusal, or returns notes. */
export function judgeContent(
  transaction: Transaction,
  engine: Engine,
): readonly string[] | Promise<readonly string[]> {
  const staged = transaction.stagedContents()
  return staged.length === 0 ? NO_NOTES : judgeStaged(staged, engine)
}

async function judgeStaged(staged: readonly StagedContent[], engine: Engine): Promise<readonly string[]> {
  const { refusal, notes } = await engine.checkContent(staged)
  if (refusal !== null)
    throw new ToolFailure({ ...refusal, message: `${refusal.message} Nothing was changed.` })
  return notes
}

/** Judges what is staged for one file. */
export async function judgeOne(
  path: string,
  transaction: Transaction,
  checkContent: Engine['checkContent'],
): Promise<ToolError | null> {
  const { key } = transaction.edits.stat(path)
  const staged = transaction.stagedContents().filter(({ absolute }) => absolute === key)
  return staged.length === 0 ? null : (await checkContent(staged)).refusal
}
