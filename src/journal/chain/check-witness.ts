import type { SealKey } from '../../host/system/hash.ts'
import type { SessionKey } from '../entries/entry.ts'
import type { CheckedChain } from './check-chains.ts'
import { entryFault, storeFault } from './verify-report.ts'
import type { FirstBad } from './verify-report.ts'
import { judgeTestimony, readTestimony } from './witness.ts'
import type { Testimony } from './witness.ts'

/** Reads a witness. One that cannot be read vouches for nothing, so it is a fault and not a pass. */
export function hearWitness(path: string, key: SealKey, database: string): Testimony | string {
  try {
    return readTestimony(path, key, database)
  } catch (error) {
    return `the witness ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A state folder that is moved away is followed by a new one, which agrees with itself. */
export const EARLIER =
  'the witness knew another journal before this one: the state folder was moved away or replaced; if that was you, name a new file in journal.witness'

/** Compares the chains with what a witness was told. */
export function compareWitness(
  { heads, lines, others, earlier, forgedLine }: Testimony,
  chains: readonly CheckedChain[],
  only: SessionKey | null,
): FirstBad | null {
  if (forgedLine !== null) return storeFault(`line ${forgedLine} of the witness does not have a valid seal`)
  if (lines === 0 && others > 0) return storeFault('the witness knows another journal, and not this one')
  // A witness that was removed is made anew, and an empty one contradicts nothing.
  if (lines === 0 && chains.some(({ lastSeq }) => lastSeq > 0))
    return storeFault('the witness knows nothing: it is new, or what it knew was removed')
  if (earlier > 0) return storeFault(EARLIER)
  for (const chain of chains) {
    const found = judgeTestimony(heads.get(chain.id) ?? [], chain)
    if (found !== null) return entryFault(chain.key, found.seq, found.why)
  }
  const known = new Set(chains.map(({ id }) => id))
  const isLost = [...heads].some(([id, told]) => !known.has(id) && told.some(({ isSynced }) => isSynced))
  return only === null && isLost ? storeFault('the witness knows a session that is missing') : null
}
