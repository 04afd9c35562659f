import type { Sqlite } from '../../host/db/sqlite.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { sessionId } from '../chain/chain.ts'
import { EARLIER, hearWitness } from '../chain/check-witness.ts'
import { judgeTestimony } from '../chain/witness.ts'
import { readHash, readHead } from '../store/read-log.ts'
import { readSessions } from '../store/read-state.ts'

/** What is compared with a witness. */
interface Journal {
  readonly sqlite: Sqlite
  readonly key: SealKey
  /** The id of the database. */
  readonly id: string
}

/**
 * What a witness knows that the journal does not hold, as clauses; by what the entries say of themselves, because a
 * repair begins with a log that need not hold together. The tables have to be up to date.
 */
export function askWitness(path: string, { sqlite, key, id: database }: Journal): readonly string[] {
  const heard = hearWitness(path, key, database)
  if (typeof heard === 'string') return [heard]
  const told = new Map(heard.heads)
  const clauses: string[] = []
  if (heard.forgedLine !== null)
    clauses.push(`line ${heard.forgedLine} of the witness does not have a valid seal`)
  if (heard.lines === 0 && heard.others > 0)
    clauses.push('the witness knows another journal, and not this one')
  else if (heard.earlier > 0) clauses.push(EARLIER)
  for (const session of readSessions(sqlite)) {
    const id = sessionId(session.key)
    const hashAt = (seq: number): string | null => readHash(sqlite, session, seq)
    const lastSeq = readHead(sqlite, session)?.seq ?? 0
    const found = judgeTestimony(told.get(id) ?? [], { lastSeq, hashAt, statedAt: hashAt })
    if (found !== null) clauses.push(`in session ${session.key.name}, entry ${found.seq} ${found.why}`)
    told.delete(id)
  }
  const lost = [...told.values()].filter((heads) => heads.some(({ isSynced }) => isSynced)).length
  if (lost > 0)
    clauses.push(
      lost === 1
        ? 'the witness knows a session that is missing'
        : `the witness knows ${lost} sessions that are missing`,
    )
  return clauses
}
