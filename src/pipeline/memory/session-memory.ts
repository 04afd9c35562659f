import { RULE_TYPES } from '../../config/rule-types.ts'
import type { RuleType } from '../../config/rule-types.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Registry } from '../../core/registry.ts'
import type { Tool } from '../../core/tool.ts'
import type {
  BatchEntry,
  ContinuedEntry,
  LandingEntry,
  NoteEntry,
  RevertedEntry,
  SettledEntry,
  StoredEntry,
} from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { repeatKey } from '../step.ts'
import {
  beginPass,
  claim,
  completeTurn,
  foldBatch,
  foldPastCall,
  foldRollBack,
  noteRefusal,
} from '../../policy/rules/fold-history.ts'
import type { PastCall } from '../../policy/rules/past-call.ts'
import type { RuleBook } from '../../policy/rules/rule-kind.ts'
import { NO_HISTORY } from '../../policy/rules/rule-state.ts'
import type { RuleState } from '../../policy/rules/rule-state.ts'
import type { Steps } from './finish-steps.ts'
import { bornAt, readEffects, readRecent } from './read-recent.ts'
import { EXIT_REFUSED, readCompletedTurn, readExitRefusal, TURN_COMPLETED } from './turn-notes.ts'

/** The dependencies of a session's memory. */
export interface MemoryDeps {
  readonly book: RuleBook
  readonly registry: Registry
  /** How long a call of a tool may take by itself and by the user's own settings, in milliseconds. */
  readonly timeOf: (tool: Tool) => number
  /** Epoch milliseconds. */
  readonly now: number
}

interface OpenBatch {
  readonly entry: BatchEntry
  /** The digests of the arguments by execution: searching a large batch once for each of its calls takes too long. */
  readonly args: ReadonlyMap<string, string>
  pass: string
  open: number
}

function openBatch(entry: BatchEntry, pass: string): OpenBatch {
  const args = new Map<string, string>()
  for (const call of entry.calls) args.set(call.execution, repeatKey(call.args, call.meta ?? {}))
  return { entry, args, pass, open: entry.calls.length }
}

/** The rule history of one session: a fold over the part of its log that rules can still look back at. */
export class SessionMemory {
  state: RuleState
  /** The sequence number of the newest entry that changed the workspace. */
  changedAt = 0
  /** The latest pass of each turn. */
  readonly passes = new Map<string, string>()
  readonly #log: SessionLog
  readonly #deps: MemoryDeps
  /** All entries from this time on have been read. */
  #since = -Infinity
  readonly #batches = new Map<string, OpenBatch>()
  /** Batches from before the part that was read, such as one that waited long for an answer. */
  readonly #earlier = new Map<string, OpenBatch>()
  #readUpTo = 0

  constructor(log: SessionLog, deps: MemoryDeps) {
    this.#log = log
    this.#deps = deps
    this.state = NO_HISTORY
  }

  /** Reads what rules can look back at, including all of a turn. There may be a step for each entry. */
  *read(turn: string | null): Steps<void> {
    const log = this.#log
    const { book, now } = this.#deps
    // Entries that are written while this is read are taken up later.
    const upTo = log.latestSeq()
    const recent = yield* readRecent(log, now - book.lookBackMs, turn)
    this.#since = recent?.since ?? -Infinity
    // Most rules look at one turn; beyond it there is only deduplication, which looks at calls with effects.
    const moment = now - book.limits.dedupeWindowMs
    if (recent !== null && recent.since > moment)
      for (const stored of readEffects(log, moment, recent.entries[0]?.seq ?? upTo + 1)) this.#fold(stored)
    for (const stored of recent?.entries ?? log.entries()) {
      this.#fold(stored)
      yield
    }
    this.#readUpTo = Math.max(this.#readUpTo, upTo)
  }

  /** Takes over the claims of running calls, which are not on record yet. */
  adoptClaims(known: SessionMemory | undefined): void {
    if (known === undefined) return
    known.catchUp()
    this.state = { ...this.state, claims: new Map([...this.state.claims, ...known.state.claims]) }
  }

  /** Whether a turn may have begun before the part that was read. */
  isTooShort(turn: string | null): boolean {
    return turn !== null && this.#since > -Infinity && bornAt(turn) < this.#since
  }

  catchUp(): void {
    if (this.#readUpTo < this.#log.latestSeq())
      for (const stored of this.#log.entries(this.#readUpTo + 1)) this.#fold(stored)
  }

  #fold({ seq, at, entry }: StoredEntry): void {
    this.#readUpTo = seq
    if (entry.kind === 'batch') this.#foldBatch(entry, at)
    else if (entry.kind === 'continued') this.#foldContinued(entry)
    else if (entry.kind === 'landing') this.#foldLanding(entry)
    else if (entry.kind === 'settled') this.#foldSettled(entry, seq, at)
    else if (entry.kind === 'note') this.#foldNote(entry)
    else if (entry.kind === 'undo' || entry.kind === 'redo') this.#foldReverted(entry, seq)
  }

  #foldBatch(entry: BatchEntry, at: number): void {
    const { turn, pass = turn } = entry
    this.#batches.set(entry.batch, openBatch(entry, pass))
    // A dry run does not count as history.
    if (entry.isDryRun === true) return
    this.passes.set(turn, pass)
    this.state = foldBatch(this.state, { turn, pass, calls: entry.calls.length, at }, this.#deps.book)
    for (const known of this.passes.keys()) if (!this.state.turns.has(known)) this.passes.delete(known)
  }

  #foldContinued({ batch: id, pass }: ContinuedEntry): void {
    const batch = this.#batches.get(id)
    // A batch goes on in its own pass; logs of earlier versions name another one.
    if (batch === undefined || batch.pass === pass) return
    batch.pass = pass ?? id
    this.passes.set(batch.entry.turn, batch.pass)
  }

  /** A command whose changes wait for an answer has run, so until it is settled it counts as if it were running. */
  #foldLanding({ batch: id, execution }: LandingEntry): void {
    const batch = this.#batches.get(id)
    const call = batch?.entry.calls.find((one) => one.execution === execution)
    if (batch === undefined || call === undefined || batch.entry.isDryRun === true) return
    // Whether the same command may run once more is for the person who is asked.
    const { turn } = batch.entry
    if (!this.state.claims.has(execution))
      this.state = claim(this.state, { execution, turn, tool: call.name, argsDigest: '' })
  }

  #foldSettled(entry: SettledEntry, seq: number, at: number): void {
    const batch = this.#batches.get(entry.batch) ?? this.#findEarlier(entry)
    if (batch?.entry.isDryRun !== true) {
      // A command may have changed contents and modes without a record. Its own repetition is measured from its end.
      if (entry.effect === 'spawn' && hasRun(entry)) this.changedAt = seq
      this.state = foldPastCall(this.state, this.#pastCall(entry, at, batch), this.#deps.book)
    }
    if (entry.changes.length > 0) this.changedAt = seq
    if (batch === null || --batch.open > 0) return
    this.#batches.delete(entry.batch)
    this.#earlier.delete(entry.batch)
  }

  #foldReverted({ rollsBack }: RevertedEntry, seq: number): void {
    this.changedAt = seq
    if (rollsBack === undefined) return
    const about = this.#log.about(rollsBack.execution).map(({ entry }) => entry)
    const settled = about.find((entry) => entry.kind === 'settled')
    const batch = about.find((entry) => entry.kind === 'batch')
    if (settled === undefined || settled.error !== null || batch?.isDryRun === true) return
    if (this.#fellShort(settled)) return
    const pass = batch?.pass ?? settled.turn
    this.state = foldRollBack(this.state, { pass, tool: settled.name })
  }

  #findEarlier(settled: SettledEntry): OpenBatch | null {
    const known = this.#earlier.get(settled.batch)
    if (known !== undefined) return known
    for (const { entry } of this.#log.about(settled.execution)) {
      if (entry.kind !== 'batch' || entry.batch !== settled.batch) continue
      const found = openBatch(entry, settled.turn)
      this.#earlier.set(settled.batch, found)
      return found
    }
    return null
  }

  #foldNote({ about, data }: NoteEntry): void {
    const refusal = about === EXIT_REFUSED ? readExitRefusal(data) : null
    if (refusal !== null) this.state = noteRefusal(beginPass(this.state, refusal.pass), refusal.rule)
    const completed = about === TURN_COMPLETED ? readCompletedTurn(data) : null
    if (completed === null) return
    this.state = completeTurn(this.state, completed)
    this.passes.delete(completed)
  }

  #pastCall(entry: SettledEntry, at: number, batch: OpenBatch | null): PastCall {
    return {
      execution: entry.execution,
      turn: entry.turn,
      pass: batch?.pass ?? entry.turn,
      tool: entry.name,
      effect: entry.effect,
      repeatable: this.#deps.registry.find(entry.name)?.repeatable ?? false,
      argsDigest: batch?.args.get(entry.execution) ?? '',
      ok: entry.error === null,
      ...(this.#fellShort(entry) ? { fellShort: true } : {}),
      code: entry.error?.code ?? null,
      at,
      hasRun: hasRun(entry),
      origin: batch?.entry.origin ?? 'person',
      workspaceCounter: this.changedAt,
      ...(this.#leftNothing(entry) ? { leftNothing: true } : {}),
      ...(this.#toldOfFailure(entry) ? { hasFailed: true } : {}),
      ...(this.#wasCutShort(entry) ? { cutShort: true } : {}),
      rule: refusingRule(entry),
    }
  }

  /** Whether the tool itself does not take its result for a success; one that is no longer stored is none. */
  #fellShort(entry: SettledEntry): boolean {
    const satisfies = entry.error === null ? this.#deps.registry.find(entry.name)?.satisfies : null
    if (satisfies === null || satisfies === undefined) return false
    const output = this.#readResult(entry)?.['result'] ?? null
    return !isJsonObject(output) || !satisfies(output)
  }

  /** One that is no longer stored tells nothing. */
  #toldOfFailure(entry: SettledEntry): boolean {
    const hasFailed = entry.error === null ? this.#deps.registry.find(entry.name)?.hasFailed : null
    if (hasFailed === null || hasFailed === undefined) return false
    const output = this.#readResult(entry)?.['result'] ?? null
    return isJsonObject(output) && hasFailed(output)
  }

  /** The result as it was stored; null if it no longer is. */
  #readResult({ result }: SettledEntry): JsonObject | null {
    const stored = parseJson(new TextDecoder().decode(this.#log.payload(result) ?? new Uint8Array(0)))
    return isJsonObject(stored) ? stored : null
  }

  #leftNothing(entry: SettledEntry): boolean {
    return entry.effect === 'spawn' && entry.changes.length === 0 && this.#stayedOnLayer(entry)
  }

  #stayedOnLayer({ execution }: SettledEntry): boolean {
    const started = this.#log.about(execution).find(({ entry }) => entry.kind === 'started')
    return started?.entry.kind === 'started' && started.entry.layer !== undefined
  }

  /** Told by the time it had, so that it does not matter who shortened it, and how. */
  #wasCutShort(entry: SettledEntry): boolean {
    const { effect, error, name, durationMs, attempts = [] } = entry
    if (error?.code !== 'timeout' || (effect !== 'external' && effect !== 'spawn')) return false
    const tool = this.#deps.registry.find(name)
    const stored = this.#readResult(entry)
    const details = isJsonObject(stored?.['error']) ? stored['error']['details'] : null
    const limit = isJsonObject(details) ? details['timeout_ms'] : null
    // Without a limit of ours, the tool itself gave up waiting for something.
    if (stored !== null && typeof limit !== 'number') return false
    // If its result was erased, how long it ran has to do.
    const hadMs = typeof limit === 'number' ? limit : durationMs / (attempts.length + 1)
    const isShort = tool === null || hadMs < this.#deps.timeOf(tool) * NEARLY_ALL_OF_IT
    return isShort && !this.#stayedOnLayer(entry)
  }
}

/** A timer may go off a little early. */
const NEARLY_ALL_OF_IT = 0.9

function hasRun({ moves }: SettledEntry): boolean {
  return moves.some(({ state }) => state === 'EXECUTING')
}

/** The rule that refused a call; the rules gate starts its fact with it. */
function refusingRule({ error, gates }: SettledEntry): RuleType | null {
  if (error?.code !== 'rule_violation') return null
  const word = gates.findLast(({ gate }) => gate === 'rules')?.fact.split(':')[0] ?? ''
  return Object.hasOwn(RULE_TYPES, word) ? (word as RuleType) : null
}
