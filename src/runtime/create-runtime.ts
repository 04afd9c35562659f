import type { Approver } from '../core/approval.ts'
import { createRegistry } from '../core/registry.ts'
import { memoizeLast } from '../core/memoize.ts'
import type { ToolResult } from '../core/result.ts'
import { systemClock, createPause } from '../host/system/clock.ts'
import { digest } from '../host/system/hash.ts'
import { createIds } from '../host/system/ids.ts'
import { createResourceMeter } from '../host/system/resources.ts'
import { auditEvents } from '../journal/folds/audit.ts'
import { explainCall } from '../journal/folds/explain-call.ts'
import type { SessionLog } from '../journal/log.ts'
import { countEntries } from '../journal/folds/statistics.ts'
import { runBatch } from '../pipeline/run-batch.ts'
import { finishPass } from '../pipeline/resume/finish-pass.ts'
import type { Engine, Run } from '../pipeline/engine.ts'
import { createGrants } from '../pipeline/memory/grants.ts'
import { runAhead } from '../pipeline/after/run-ahead.ts'
import { inspect } from '../pipeline/after/inspect.ts'
import { recover } from '../pipeline/after/recover.ts'
import type { InterruptedBatch } from '../pipeline/after/inspect.ts'
import { createRuleHistory } from '../pipeline/memory/rule-history.ts'
import { createFindingCache } from '../policy/judge.ts'
import { createValidation } from '../pipeline/memory/validation.ts'
import { builtInTools, isBuiltIn } from '../tools/built-in.ts'
import { openWorkspace } from '../workspace/open-workspace.ts'
import { advertise, checkAdvertised, showTools } from './configure/advertise.ts'
import { createApprovals } from './approvals/approvals.ts'
import { callByClock, createPeriodic } from './schedule/periodic.ts'
import { contentCheckFor, withWarnings } from './shell/content-check.ts'
import { watchGit } from './shell/git-watch.ts'
import { readGrants, revokeGrant } from './approvals/grants.ts'
import { openSource } from './sessions/conversation-source.ts'
import { openGateRunner } from './shell/gate-runner.ts'
import { isolatorFor, watchSecrets } from './shell/child-environment.ts'
import { presentTurnEnd, placeInTurn } from './sessions/turns.ts'
import { forgetFiles, selectForgotten } from './sessions/forget-files.ts'
import { createLateAnswers } from './approvals/late-answers.ts'
import { loadConfiguration } from './configure/load-configuration.ts'
import { openAnswerInbox } from './approvals/answer-inbox.ts'
import { guardApprover, guardErrorHandler, guardWatchers, reportFaults } from './observe/outside-code.ts'
import { canonicalRoot, placeState, storedFolders } from './configure/places.ts'
import { openPolicy } from './configure/policy.ts'
import { tasksOf } from './sessions/read-tasks.ts'
import type { ShownTask } from './sessions/read-tasks.ts'
import { loadRules } from './configure/load-rules.ts'
import { openShell } from './shell/shell.ts'
import { openReverts } from './sessions/reverts.ts'
import { openSessions } from './sessions/sessions.ts'
import { openTelemetry } from './observe/telemetry.ts'
import type { Telemetry } from './observe/telemetry.ts'
import type { RunOptions, Runtime, RuntimeOptions, TurnEnd } from './runtime.ts'
import { verifyJournal } from './sessions/verify.ts'
import { watchLandings } from './sessions/landings.ts'
import { watchResources } from './observe/watch-resources.ts'

export type { RunOptions, Runtime, RuntimeOptions, TurnEnd, UndoOptions } from './runtime.ts'

const DEFAULT_SESSION = 'default'

/** Opens a root for tool calls. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const root = canonicalRoot(options.root)
  const stateDir = placeState(options.stateDir, root)
  const { config: given, profile, preset } = options
  const configuration =
    options.loaded ??
    (await loadConfiguration({ root, stateDir, env: process.env, isPersonal: false, given, profile, preset }))
  const { settings } = configuration
  const registry = createRegistry([...builtInTools, ...(options.tools ?? [])])
  checkAdvertised(settings, configuration.origin['tools.advertise'], registry)
  const ruling = loadRules(configuration, registry, options.rules)
  const clock = options.clock ?? systemClock
  const rules = createRuleHistory(ruling.book, registry, clock.now)
  const { backupFolder, outputFolder } = storedFolders(stateDir)
  const folders = openWorkspace({ root, settings, clock, backupFolder, outputFolder })
  const newId = createIds(clock)
  const durability = options.durability ?? settings['journal.durability']
  const waitMs = settings['journal.session_wait_seconds'] * 1000
  const sessions = openSessions({
    root,
    stateDir,
    durability,
    clock,
    workspace: folders,
    waitMs,
    onBusy: options.onBusy,
    retention: {
      maxBytes: settings['journal.max_bytes'],
      maxAgeDays: settings['journal.max_age_days'],
      backupFolder,
      outputFolder,
    },
  })
  const git = watchGit(settings, folders.roots, () => sessions.read())
  const workspace = watchLandings(folders, sessions, git.noteLanded)
  const shell = openShell(settings, workspace, { stateDir, outputFolder })
  const grants = createGrants(sessions.grants, root, clock)
  const gateRunner = openGateRunner(settings)
  const anybody = options.actor ?? null
  const report = guardErrorHandler(options.onError)
  const recovery = { registry, digest, now: clock.now, onError: report }
  const approver = options.approve === 'later' ? () => 'later' as const : options.approve
  const guardIn = memoizeLast((session: string, approve: Approver) => guardApprover(approve, session, report))
  const never = new AbortController().signal
  let telemetry: Telemetry | null = null
  let opening: Promise<Engine> | null = null
  let opened: Engine | null = null

  function openEngine(): Promise<Engine> {
    opening ??= makeEngine()
    return opening
  }

  async function makeEngine(): Promise<Engine> {
    telemetry = await openTelemetry(options.telemetry, settings, registry)
    const validation = createValidation()
    const resources = settings['journal.resource_usage'] ? createResourceMeter() : null
    const runIsolated = isolatorFor(settings)
    const places = { roots: folders.roots, stateDir: durability === 'memory' ? null : stateDir }
    const checkContent = contentCheckFor(settings)
    const made: Engine = {
      settings,
      registry,
      workspace,
      rules,
      grants,
      shell,
      validation,
      findings: createFindingCache(),
      clock,
      newId,
      digest,
      resources,
      pause: createPause(),
      gateRunner,
      availability: watchResources(places, settings, clock),
      knownSecrets: watchSecrets(settings),
      runIsolated,
      checkContent: async (staged) => withWarnings(await checkContent(staged), () => git.warn(staged)),
      afterLanding: git.stage,
      runAhead,
    }
    opened = made
    return made
  }

  function runIn(engine: Engine, log: SessionLog, wish: RunOptions): Run {
    const { actor, signal, skip, onEvent, dryRun: isDryRun = false, origin = 'person', capacityBytes } = wish
    const { name } = log.key
    const watchers = [onEvent, telemetry?.watch({ session: name, origin, isDryRun })]
    const { turn, pass, isFreshTurn, iteration } = placeInTurn(wish, log, rules, newId)
    return {
      engine,
      log,
      origin,
      isForModel: origin === 'model',
      actor: actor ?? anybody,
      isDryRun,
      previewed: isDryRun ? { contents: new Map(), reads: new Set() } : null,
      signal: signal ?? never,
      mayBeCancelled: signal !== undefined,
      skip: skip ?? never,
      onEvent: guardWatchers(watchers, name, report),
      isWatched: onEvent !== undefined,
      onError: report,
      approve: approver === undefined ? null : guardIn(name, approver),
      inbox: inbox,
      turn,
      pass,
      isFreshTurn,
      iteration,
      ahead: null,
      capacityBytes: capacityBytes ?? settings['tools.output.capacity_bytes'],
    }
  }

  const inbox = openAnswerInbox(stateDir)
  const lateAnswers = createLateAnswers(inbox)
  const approvals = createApprovals({ sessions, inbox, openEngine, runIn, waitMs })

  const call = callByClock({ rules, newId, openEngine, runIn, report })
  const periodic = createPeriodic({ rules, clock, call })

  /** Says that somebody works in a session. */
  function watchClock(log: SessionLog): SessionLog {
    if (options.periodic !== false) periodic.watch(log)
    return log
  }

  const openFor = async (name: string): Promise<SessionLog> => watchClock(await sessions.open(name))

  const policy = openPolicy({ sessions, openEngine, runIn }, DEFAULT_SESSION)

  function run(calls: readonly unknown[], runOptions: RunOptions = {}): Promise<readonly ToolResult[]> {
    const session = runOptions.session ?? DEFAULT_SESSION
    return reportFaults(session, report, async () => {
      const log = watchClock(sessions.opened(session) ?? (await sessions.open(session)))
      const engine = opened ?? (await openEngine())
      const rows = await periodic.during(log, () => runBatch(calls, runIn(engine, log, runOptions)))
      lateAnswers.expect(rows, (approval, decision) =>
        reportFaults(session, report, () => approvals.take(log, approval, decision, runOptions)),
      )
      return rows
    })
  }

  async function finishTurn(wish: RunOptions & { readonly turn: string }): Promise<TurnEnd> {
    const session = wish.session ?? DEFAULT_SESSION
    return reportFaults(session, report, async () => {
      const log = await openFor(session)
      const engine = await openEngine()
      return presentTurnEnd(await periodic.during(log, () => finishPass(runIn(engine, log, wish))))
    })
  }

  const reverts = openReverts({
    sessions,
    workspace,
    newId,
    defaultActor: anybody,
    defaultSession: DEFAULT_SESSION,
  })
  const definitions = () => showTools(registry.definitions, ruling.book)

  return {
    root,
    configuration,
    definitions,
    advertised: () => advertise(settings, definitions(), isBuiltIn),
    rules: ruling.shown,
    ready: sessions.ready,
    warm: shell.warm,
    run,
    finishTurn,
    policy,
    pending: ({ session } = {}) => approvals.pending(session),
    decide: (ids, wish) =>
      reportFaults(wish.session ?? '', report, () =>
        approvals.decide(ids, anybody === null ? wish : { actor: anybody, ...wish }),
      ),
    expire: (session) => approvals.expire(session, anybody === null ? {} : { actor: anybody }),
    undo: reverts.undo,
    redo: reverts.redo,
    async recover({ session, choice } = {}) {
      const found: InterruptedBatch[] = []
      for (const name of session === undefined ? sessions.names() : [session]) {
        const log = await sessions.open(name)
        found.push(
          ...(choice === undefined ? await inspect(log, recovery) : await recover(log, choice, recovery)),
        )
      }
      return found
    },
    log: ({ session } = {}) => sessions.read(session),
    why: (prefix) =>
      sessions.find(prefix).flatMap(({ execution, entries }) => explainCall(execution, entries) ?? []),
    grants: async () => readGrants(sessions.grants(), root, clock.now()),
    async revoke(id, { session = DEFAULT_SESSION, actor } = {}) {
      return revokeGrant(id, { sessions, root, session, actor: actor ?? anybody, now: clock.now() })
    },
    async forget(what) {
      const selection = selectForgotten(what, root, clock.now())
      const executions = 'call' in what ? sessions.find(what.call).map(({ execution }) => execution) : []
      const keys = sessions.names().map((name) => ({ root, name }))
      const done = await sessions.forget(selection)
      return done.ok
        ? { ...done, files: forgetFiles(selection, [backupFolder, outputFolder], keys, executions) }
        : done
    },
    converse: async (session) =>
      openSource({ log: await openFor(session), settings, workspace, clock, newId }),
    sessions: sessions.recent,
    async tasks({ session } = {}) {
      const found: ShownTask[] = []
      for (const name of session === undefined ? sessions.names() : [session]) {
        const log = await sessions.open(name)
        found.push(...tasksOf(log, name))
      }
      return found
    },
    stats: ({ session } = {}) => countEntries(sessions.read(session)),
    audit: ({ session } = {}) => auditEvents(sessions.read(session)),
    verify: ({ session } = {}) =>
      verifyJournal({ root, stateDir, isInMemory: durability === 'memory', sessions }, session),
    async close() {
      await periodic.close()
      telemetry?.close()
      await lateAnswers.close()
      await shell.close()
      await gateRunner?.close()
      await sessions.close().finally(workspace.close)
    },
  }
}
