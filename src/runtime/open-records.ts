import { digest } from '../host/system/hash.ts'
import { explainingLater } from '../journal/explain-fault.ts'
import { auditEvents } from '../journal/folds/audit.ts'
import { explainCall } from '../journal/folds/explain-call.ts'
import { countEntries } from '../journal/folds/statistics.ts'
import { findKeptCopies } from '../journal/store/state-files.ts'
import { inspect } from '../pipeline/after/inspect.ts'
import type { InterruptedBatch, RecoveryDeps } from '../pipeline/after/inspect.ts'
import { recover } from '../pipeline/after/recover.ts'
import { createValidation } from '../pipeline/memory/validation.ts'
import { readGrants, revokeGrant } from './approvals/grants.ts'
import type { RuntimeParts } from './open-parts.ts'
import type { Runtime } from './runtime.ts'
import { forgetFiles, selectForgotten } from './sessions/forget-files.ts'
import { tasksOf } from './sessions/read-tasks.ts'
import { readRow } from './sessions/read-row.ts'
import { readChoices } from './sessions/choices/session-choices.ts'
import { verifyJournal } from './sessions/verify.ts'

/** The session of what names none. */
export const DEFAULT_SESSION = 'default'

type Records =
  | 'recover'
  | 'log'
  | 'why'
  | 'rowOf'
  | 'grants'
  | 'revoke'
  | 'forget'
  | 'sessions'
  | 'counts'
  | 'readTogether'
  | 'lastUses'
  | 'isInUse'
  | 'ownerOf'
  | 'pausedTurns'
  | 'presetOf'
  | 'modelOf'
  | 'goOnWith'
  | 'peek'
  | 'begin'
  | 'claim'
  | 'goneRoots'
  | 'formerRoot'
  | 'tasks'
  | 'stats'
  | 'audit'
  | 'verify'

/** The functions that read the journal, and the few that change it. */
export function openRecords(parts: RuntimeParts): Pick<Runtime, Records> {
  const { root, stateDir, witness, sessions, clock, registry, report, durability, defaultActor } = parts
  const { workspace, newId } = parts
  const recovery: RecoveryDeps = {
    registry,
    digest,
    now: clock.now,
    onError: report,
    workspace,
    newId,
    problemsOf: ({ outputSchema }, output) => createValidation().of(outputSchema)(output, 'result'),
    settings: parts.configuration.settings,
  }
  const chosen = (session: string | undefined): readonly string[] =>
    session === undefined ? sessions.names() : [session]
  return {
    async recover({ session, choice } = {}) {
      const found: InterruptedBatch[] = []
      for (const name of session === undefined ? sessions.unfinished() : [session]) {
        // What another live process is at work on was not interrupted.
        if (session === undefined && sessions.opened(name) === null && (await sessions.isInUse(name)))
          continue
        const log = await (choice === undefined ? sessions.openToRead(name) : sessions.open(name))
        found.push(
          ...(choice === undefined ? await inspect(log, recovery) : await recover(log, choice, recovery)),
        )
      }
      return found
    },
    log: ({ session, last } = {}) => sessions.read(session, last),
    why: (prefix) =>
      sessions.find(prefix).flatMap(({ execution, entries }) => explainCall(execution, entries) ?? []),
    rowOf: (session, execution) => readRow(sessions.peek(session), execution),
    grants: async () => readGrants(sessions.grants(), root, clock.now(), registry),
    async revoke(id, { session = DEFAULT_SESSION, actor } = {}) {
      return revokeGrant(id, { sessions, root, session, actor: actor ?? defaultActor, now: clock.now() })
    },
    forget: (what) =>
      explainingLater(stateDir, async () => {
        const selection = selectForgotten(what, root, clock.now())
        const executions = 'call' in what ? sessions.find(what.call).map(({ execution }) => execution) : []
        const keys = sessions.names().map((name) => ({ root, name }))
        const done = await sessions.forget(selection)
        return done.ok
          ? {
              ...done,
              files: (done.files ?? 0) + forgetFiles(selection, parts.storedFolders, keys, executions),
              copies: durability === 'memory' ? [] : findKeptCopies(stateDir),
            }
          : done
      }),
    sessions: sessions.recent,
    counts: sessions.counts,
    readTogether: sessions.readTogether,
    lastUses: sessions.lastUses,
    isInUse: sessions.isInUse,
    ownerOf: sessions.ownerOf,
    pausedTurns: sessions.paused,
    ...readChoices(sessions.peek),
    peek: sessions.peek,
    begin: async (prefix) => (await sessions.begin(prefix)).key.name,
    claim: async (session) => void (await sessions.claim(session)),
    goneRoots: sessions.goneRoots,
    formerRoot: sessions.formerRoot,
    async tasks({ session } = {}) {
      return chosen(session).flatMap((name) => tasksOf(sessions.peek(name), name))
    },
    stats: ({ session } = {}) => countEntries(sessions.read(session)),
    audit: ({ session } = {}) =>
      auditEvents(sessions.read(session), (execution) =>
        sessions.find(execution).flatMap(({ entries }) => entries),
      ),
    verify: (options = {}) =>
      verifyJournal({ root, stateDir, witness, isInMemory: durability === 'memory', sessions }, options),
  }
}
