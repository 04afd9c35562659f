import type { Approver } from '../core/approval.ts'
import { memoizeLast } from '../core/memoize.ts'
import { createPause } from '../host/system/clock.ts'
import { digest } from '../host/system/hash.ts'
import { createResourceMeter } from '../host/system/resources.ts'
import type { SessionLog } from '../journal/log.ts'
import { runAhead } from '../pipeline/after/run-ahead.ts'
import { UNWATCHED } from '../pipeline/emit-events.ts'
import type { Engine, Run } from '../pipeline/engine.ts'
import { createValidation } from '../pipeline/memory/validation.ts'
import { createFindingCache } from '../policy/judge.ts'
import { guardApprover, guardWatchers } from './observe/outside-code.ts'
import { openTelemetry } from './observe/telemetry.ts'
import type { Telemetry } from './observe/telemetry.ts'
import { watchResources } from './observe/watch-resources.ts'
import type { RuntimeParts } from './open-parts.ts'
import type { RunOptions, RuntimeOptions } from './runtime.ts'
import { placeInTurn } from './sessions/turns.ts'
import { isolatorFor, watchSecrets } from './shell/child-environment.ts'
import { openWeb } from './web/open-web.ts'
import { contentCheckFor, withWarnings } from './shell/content-check.ts'
import { warnOpenElsewhere } from './shell/open-elsewhere.ts'

const NEVER = new AbortController().signal

/** Makes the engine of a runtime when it is first needed, and the runs that use it. */
export class LazyEngine {
  /** The engine, once it is open. */
  engine: Engine | null = null
  readonly #parts: RuntimeParts
  readonly #options: RuntimeOptions
  readonly #approver: Approver | undefined
  readonly #guard: (session: string, approve: Approver) => Approver
  #opening: Promise<Engine> | null = null
  #telemetry: Telemetry | null = null

  constructor(parts: RuntimeParts, options: RuntimeOptions) {
    this.#parts = parts
    this.#options = options
    this.#approver = options.approve === 'later' ? () => 'later' as const : options.approve
    this.#guard = memoizeLast((session, approve) => guardApprover(approve, session, parts.report))
  }

  readonly openEngine = (): Promise<Engine> => {
    this.#opening ??= this.#makeEngine()
    return this.#opening
  }

  /** Creates one run in a session, with the caller's options. */
  readonly runIn = (engine: Engine, log: SessionLog, options: RunOptions): Run => {
    const { settings, rules, newId, report, inbox, defaultActor } = this.#parts
    const { actor, signal, skip, onEvent, dryRun: isDryRun = false, origin = 'person' } = options
    const { name } = log.key
    const traced = this.#telemetry?.watch({ session: name, origin, isDryRun })
    const isSilent = onEvent === undefined && traced === undefined
    const { turn, pass, isFreshTurn, iteration } = placeInTurn(options, log, rules, newId)
    return {
      engine,
      log,
      origin,
      isForModel: origin === 'model' || options.isForModel === true,
      actor: actor ?? defaultActor,
      isDryRun,
      previewed: isDryRun ? { contents: new Map(), reads: new Set() } : null,
      signal: signal ?? NEVER,
      mayBeCancelled: signal !== undefined,
      skip: skip ?? NEVER,
      onEvent: isSilent ? UNWATCHED : guardWatchers([onEvent, traced], name, report),
      isWatched: onEvent !== undefined,
      onError: report,
      approve: this.#approver === undefined ? null : this.#guard(name, this.#approver),
      inbox,
      turn,
      pass,
      isFreshTurn,
      iteration,
      ahead: null,
      mayWait: true,
      delegate: options.delegate ?? null,
      only: options.only ?? null,
      delegating: options.delegating ?? null,
      isContinued: false,
      capacityBytes: options.capacityBytes ?? settings['tools.output.capacity_bytes'],
    }
  }

  close(): void {
    this.#telemetry?.close()
  }

  async #makeEngine(): Promise<Engine> {
    const { settings, registry, servers, workspace, rules, grants, shell, clock, newId, gateRunner, git } =
      this.#parts
    this.#telemetry = await openTelemetry(this.#options.telemetry, settings, registry)
    const stateDir = this.#parts.durability === 'memory' ? null : this.#parts.stateDir
    const checkContent = contentCheckFor(settings)
    const knownSecrets = watchSecrets(settings, () => servers.secrets)
    this.engine = {
      settings,
      registry,
      workspace,
      rules,
      grants,
      shell,
      web: openWeb(this.#parts, { lookup: this.#options.lookupHost, knownSecrets }),
      validation: createValidation(),
      findings: createFindingCache(),
      clock,
      newId,
      digest,
      resources: settings['journal.resource_usage'] ? createResourceMeter() : null,
      pause: createPause(),
      gateRunner,
      availability: watchResources({ roots: workspace.roots, stateDir }, settings, clock),
      knownSecrets,
      runIsolated: isolatorFor(settings, workspace.roots),
      checkContent: async (staged) =>
        withWarnings(await checkContent(staged), async () => [
          ...warnOpenElsewhere(staged),
          ...(await git.warn(staged)),
        ]),
      afterLanding: git.stage,
      runAhead,
    }
    return this.engine
  }
}
