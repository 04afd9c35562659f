import { redactAndList } from '../core/text/secrets/redact.ts'
import type { ToolResult } from '../core/result.ts'
import { digest } from '../host/system/hash.ts'
import { auditEvents } from '../journal/folds/audit.ts'
import { explainCall } from '../journal/folds/explain-call.ts'
import { countEntries } from '../journal/folds/statistics.ts'
import type { SessionLog } from '../journal/log.ts'
import { findKeptCopies } from '../journal/store/state-files.ts'
import { inspect } from '../pipeline/after/inspect.ts'
import type { InterruptedBatch } from '../pipeline/after/inspect.ts'
import { recover } from '../pipeline/after/recover.ts'
import { finishPass } from '../pipeline/resume/finish-pass.ts'
import { runBatch } from '../pipeline/run-batch.ts'
import { isBuiltIn } from '../tools/built-in.ts'
import { createApprovals } from './approvals/approvals.ts'
import { readGrants, revokeGrant } from './approvals/grants.ts'
import { createLateAnswers } from './approvals/late-answers.ts'
import type { TakeAnswer } from './approvals/late-answers.ts'
import { advertise, offer, showFound, showTools } from './configure/advertise.ts'
import { openPolicy } from './configure/policy.ts'
import { LazyEngine } from './lazy-engine.ts'
import { reportFaults } from './observe/outside-code.ts'
import { openParts } from './open-parts.ts'
import type { RuntimeParts } from './open-parts.ts'
import type { RunOptions, Runtime, RuntimeOptions, TurnEnd } from './runtime.ts'
import { callByClock, createPeriodic } from './schedule/periodic.ts'
import { storedFolders } from './configure/places.ts'
import { openSource } from './sessions/conversation-source.ts'
import { forgetFiles, selectForgotten } from './sessions/forget-files.ts'
import { tasksOf } from './sessions/read-tasks.ts'
import { openReverts } from './sessions/reverts.ts'
import { readRow } from './sessions/read-row.ts'
import { readPreset, sealWith } from './sessions/session-preset.ts'
import { presentTurnEnd } from './sessions/turns.ts'
import { verifyJournal } from './sessions/verify.ts'

export type { RunOptions, Runtime, RuntimeOptions, TurnEnd, UndoOptions } from './runtime.ts'

const DEFAULT_SESSION = 'default'

/** Opens a root for tool calls. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const parts = await openParts(options)
  const { root, configuration, settings, registry, later, ruling, sessions, workspace, shell, newId } = parts
  const definitions = () => showTools(registry.definitions, ruling.book)
  const { undo, redo } = openReverts({
    sessions,
    workspace,
    settings,
    newId,
    defaultActor: parts.defaultActor,
    defaultSession: DEFAULT_SESSION,
  })
  return {
    root,
    configuration,
    definitions,
    advertised: () => advertise(settings, definitions(), { isBuiltIn, later }),
    found: (names) => showFound(names, definitions(), later),
    offered: () => offer(settings, definitions(), { isBuiltIn }),
    rules: ruling.shown,
    asking: askingOf(options.approve),
    servers: parts.servers,
    ready: sessions.ready,
    warm: shell.warm,
    undo,
    redo,
    ...openCalls(parts, options),
    ...openRecords(parts),
  }
}

function askingOf(approve: RuntimeOptions['approve']): Runtime['asking'] {
  if (approve === undefined) return 'nobody'
  return approve === 'later' ? 'later' : 'approver'
}

type Calls =
  | 'run'
  | 'finishTurn'
  | 'policy'
  | 'pending'
  | 'held'
  | 'decide'
  | 'expire'
  | 'converse'
  | 'release'
  | 'close'

/** The functions that run calls and answer questions about them. */
function openCalls(parts: RuntimeParts, options: RuntimeOptions): Pick<Runtime, Calls> {
  const { sessions, rules, clock, newId, report, inbox, defaultActor } = parts
  const lazy = new LazyEngine(parts, options)
  const { openEngine, runIn } = lazy
  const lateAnswers = createLateAnswers(inbox)
  const approvals = createApprovals({ sessions, inbox, openEngine, runIn, waitMs: parts.waitMs })
  const periodic = createPeriodic({
    rules,
    clock,
    call: callByClock({ rules, newId, openEngine, runIn, report }),
  })

  /** Notes that a session is in use, so that periodic tools run in it when due. */
  function watchClock(log: SessionLog): void {
    if (options.periodic !== false) periodic.watch(log)
  }

  function run(calls: readonly unknown[], runOptions: RunOptions = {}): Promise<readonly ToolResult[]> {
    const session = runOptions.session ?? DEFAULT_SESSION
    return reportFaults(session, report, async () => {
      const log = sessions.opened(session) ?? (await sessions.open(session))
      const reading = rules.prepare(log, runOptions.turn ?? null, runOptions.signal)
      if (reading !== undefined) await reading
      watchClock(log)
      const engine = lazy.engine ?? (await openEngine())
      const rows = await periodic.during(log, () => runBatch(calls, runIn(engine, log, runOptions)))
      const { signal, ...unsignalled } = runOptions
      const take: TakeAnswer = (approval, decision) =>
        reportFaults(session, report, () =>
          // Cancelling after this run has returned does not cancel what is approved later.
          approvals.take(log, approval, decision, signal?.aborted === true ? unsignalled : runOptions),
        )
      lateAnswers.expect(rows, take, signal)
      return rows
    })
  }

  async function finishTurn(turnOptions: RunOptions & { readonly turn: string }): Promise<TurnEnd> {
    const session = turnOptions.session ?? DEFAULT_SESSION
    return reportFaults(session, report, async () => {
      const log = await sessions.open(session)
      await rules.prepare(log, turnOptions.turn, turnOptions.signal)
      watchClock(log)
      const engine = await openEngine()
      return presentTurnEnd(await periodic.during(log, () => finishPass(runIn(engine, log, turnOptions))))
    })
  }

  const actor = defaultActor === null ? {} : { actor: defaultActor }
  return {
    run,
    finishTurn,
    policy: openPolicy({ sessions, openEngine, runIn }, DEFAULT_SESSION),
    pending: ({ session } = {}) => approvals.pending(session),
    held: async ({ session } = {}) => {
      await openEngine()
      return approvals.held(session)
    },
    decide: (ids, given) =>
      reportFaults(given.session ?? '', report, () => approvals.decide(ids, { ...actor, ...given })),
    expire: (session) => approvals.expire(session, actor),
    async converse(session) {
      const { settings, workspace } = parts
      const log = await sessions.open(session)
      await rules.prepare(log, null)
      watchClock(log)
      const { outputFolder } = storedFolders(parts.stateDir)
      const { grants, knownSecrets } = await openEngine()
      const hide = (given: string): string =>
        redactAndList(given, { known: knownSecrets(), isAllowed: grants.isNoSecret }).text
      const seal = sealWith(sessions)
      return openSource({ log, settings, workspace, clock, newId, seal, outputFolder, hide })
    },
    async release(session) {
      await lateAnswers.idle()
      await sessions.release(session)
    },
    async close() {
      await periodic.close()
      lazy.close()
      await lateAnswers.close()
      await parts.shell.close()
      await parts.gateRunner?.close()
      await parts.servers.close()
      await sessions.close().finally(parts.workspace.close)
    },
  }
}

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
  | 'lastUses'
  | 'isInUse'
  | 'pausedTurns'
  | 'presetOf'
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
function openRecords(parts: RuntimeParts): Pick<Runtime, Records> {
  const { root, stateDir, witness, sessions, clock, registry, report, durability, defaultActor } = parts
  const { workspace, newId } = parts
  const recovery = { registry, digest, now: clock.now, onError: report, workspace, newId }
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
    async forget(what) {
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
    },
    sessions: sessions.recent,
    counts: sessions.counts,
    lastUses: sessions.lastUses,
    isInUse: sessions.isInUse,
    pausedTurns: sessions.paused,
    presetOf: (session) => readPreset(sessions.peek(session), sealWith(sessions)),
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
