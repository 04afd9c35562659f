import { redactAndList } from '../core/text/secrets/redact.ts'
import type { ToolResult } from '../core/result.ts'
import { arrived, runFlow } from '../core/wait.ts'
import type { Flow, Soon } from '../core/wait.ts'
import type { SessionLog } from '../journal/log.ts'
import { finishPass } from '../pipeline/resume/finish-pass.ts'
import type { Run } from '../pipeline/engine.ts'
import { createValidation } from '../pipeline/memory/validation.ts'
import { findParked } from '../pipeline/parse/parked-batch.ts'
import { continueParked, runBatch } from '../pipeline/run-batch.ts'
import { isBuiltIn } from '../tools/built-in.ts'
import { createApprovals } from './approvals/approvals.ts'
import { findDoubt } from './approvals/find-doubt.ts'
import { createLateAnswers } from './approvals/late-answers.ts'
import type { TakeAnswer } from './approvals/late-answers.ts'
import { advertise, offer, showFound, showTools } from './configure/advertise.ts'
import { openPolicy } from './configure/policy.ts'
import { LazyEngine } from './lazy-engine.ts'
import { reportFaults } from './observe/outside-code.ts'
import { openParts } from './open-parts.ts'
import type { RuntimeParts } from './open-parts.ts'
import type { RunOptions, Runtime, RuntimeOptions, TurnEnd } from './runtime.ts'
import { findRoles } from './roles/find-roles.ts'
import { callByClock, createPeriodic } from './schedule/periodic.ts'
import { storedFolders } from './configure/places.ts'
import { openSource } from './sessions/conversation-source.ts'
import { openReverts } from './sessions/reverts.ts'
import { presentTurnEnd } from './sessions/turns.ts'
import { DEFAULT_SESSION, openRecords } from './open-records.ts'

export type { RunOptions, Runtime, RuntimeOptions, TurnEnd, UndoOptions } from './runtime.ts'

/** Opens a root for tool calls. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const parts = await openParts(options)
  const { root, configuration, settings, registered, ruling, sessions, workspace, shell, newId } = parts
  const { registry } = registered
  const definitions = () => showTools(registry.definitions, ruling.book)
  const { undo, redo } = openReverts({
    sessions,
    workspace,
    settings,
    newId,
    tools: { registry, settings, validation: createValidation() },
    defaultActor: parts.defaultActor,
  })
  return {
    root,
    configuration,
    definitions,
    advertised: () => advertise(settings, definitions(), { isBuiltIn, later: registered.later }),
    found: (names) => showFound(names, definitions(), registered.later),
    offered: () => offer(settings, definitions(), { isBuiltIn }),
    rules: ruling.shown,
    roles: () => findRoles({ root, stateDir: parts.stateDir, env: process.env }),
    asking: askingOf(options.approve),
    skills: parts.skills,
    background: shell.background.list,
    async stopBackground({ session, handle }) {
      if (handle === undefined) return shell.background.close(session)
      const wish = { waitMs: 0, stop: true }
      await shell.background.read({ root, name: session }, handle, wish, new AbortController().signal)
    },
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
  | 'goOn'
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
    return runStages(runOptions, (place) => runBatch(calls, place))
  }

  function goOn(batch: string, runOptions: RunOptions): Promise<readonly ToolResult[]> {
    return runStages(runOptions, async (place) => {
      const parked = findParked(batch, place.log)
      if (parked === null) throw new Error(`the batch ${batch} does not wait for a conversation`)
      const doubt = findDoubt(parked, place)
      if (doubt !== null) throw new Error(`the batch ${batch} was not gone on with, because ${doubt}`)
      return continueParked(parked, place)
    })
  }

  function runStages(
    runOptions: RunOptions,
    work: (place: Run) => Soon<readonly ToolResult[]>,
  ): Promise<readonly ToolResult[]> {
    const session = runOptions.session ?? DEFAULT_SESSION
    return reportFaults(session, report, () => runFlow(runInSession(session, runOptions, work)))
  }

  function* runInSession(
    session: string,
    runOptions: RunOptions,
    work: (place: Run) => Soon<readonly ToolResult[]>,
  ): Flow<readonly ToolResult[]> {
    const log = sessions.opened(session) ?? (yield* arrived(sessions.open(session)))
    const reading = rules.prepare(log, runOptions.turn ?? null, runOptions.signal)
    if (reading !== undefined) yield reading
    watchClock(log)
    const engine = lazy.engine ?? (yield* arrived(openEngine()))
    const rows = yield* arrived(periodic.during(log, () => work(runIn(engine, log, runOptions))))
    if (!rows.every(({ ok }) => ok)) lateAnswers.expect(rows, takeLate(log, runOptions), runOptions.signal)
    return rows
  }

  /** Takes an answer after the run that asked has returned; cancelling since then does not cancel what is approved later. */
  function takeLate(log: SessionLog, runOptions: RunOptions): TakeAnswer {
    return (approval, decision) =>
      reportFaults(log.key.name, report, () => {
        const { signal, ...unsignalled } = runOptions
        return approvals.take(log, approval, decision, signal?.aborted === true ? unsignalled : runOptions)
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
    goOn,
    finishTurn,
    policy: openPolicy({ sessions, openEngine, runIn }, DEFAULT_SESSION),
    pending: ({ session } = {}) => approvals.pending(session),
    held: async ({ session } = {}) => {
      await openEngine()
      return approvals.held(session)
    },
    decide: (ids, given) =>
      reportFaults(given.session ?? '', report, () =>
        approvals.decide(ids, Object.assign(Object.create(null), actor, given)),
      ),
    expire: (session) => approvals.expire(session, actor),
    async converse(session) {
      const { settings, workspace, seal } = parts
      const log = await sessions.open(session)
      await rules.prepare(log, null)
      watchClock(log)
      const { outputFolder } = storedFolders(parts.stateDir)
      const { grants, knownSecrets } = await openEngine()
      const hide = (given: string): string =>
        redactAndList(given, { known: knownSecrets(), isAllowed: grants.isNoSecret }).text
      const { registry, startFolder, userFolder } = parts
      const notes = { settings, workspace, hide, registry, startFolder, userFolder }
      return openSource({ log, ...notes, clock, newId, seal, outputFolder })
    },
    async release(session) {
      await lateAnswers.idle()
      await parts.shell.background.close(session)
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
