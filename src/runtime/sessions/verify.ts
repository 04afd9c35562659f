import { NOTHING, report } from '../../journal/chain/verify-report.ts'
import type { VerifyReport } from '../../journal/chain/verify-report.ts'
import type { Sessions } from './sessions.ts'

/** Checks the chain of one session of a root, or everything in the state folder. */
export async function verifyJournal(
  {
    root,
    stateDir,
    witness,
    isInMemory,
    sessions,
  }: {
    readonly root: string
    readonly stateDir: string
    /** The file that was told the heads; empty if there is none. */
    readonly witness: string
    readonly isInMemory: boolean
    readonly sessions: Sessions
  },
  { session, since }: { readonly session?: string; readonly since?: string },
): Promise<VerifyReport> {
  if (isInMemory) return countEvents(sessions, session)
  const { verifyStore } = await import('../../journal/chain/verify-store.ts')
  return verifyStore(stateDir, {
    since,
    witness,
    ...(session === undefined ? {} : { session: { root, name: session } }),
  })
}

/** A journal in memory has no file and no anchor to check, so its entries are only counted. */
function countEvents(sessions: Sessions, session: string | undefined): VerifyReport {
  const names = new Set<string>()
  let events = 0
  for (const { session: key } of sessions.read(session)) {
    names.add(key.name)
    events++
  }
  return report({ ...NOTHING, events, sessions: names.size }, null)
}
