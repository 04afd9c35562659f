import { mayRunInParallel } from '../../policy/rules/rule-book.ts'
import { bytesOf } from '../../journal/entries/content.ts'
import type { LedgerRow } from '../../journal/log.ts'
import { mergeSeen } from '../../journal/store/ledger.ts'
import type { ToolResult } from '../../core/result.ts'
import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import { EarlierEdits } from '../../workspace/staging/earlier-edits.ts'
import type { ReadyGroup } from '../approve/approve.ts'
import type { Batch } from '../batch.ts'
import type { HeldEdits, Run } from '../engine.ts'
import type { Answer } from '../record/record.ts'
import { repeatKey } from '../step.ts'
import type { Received } from '../step.ts'

/** More calls than this are not committed together, nor calls with more bytes. */
const MOST_CALLS = 64
const MOST_BYTES = 64 * 1024 * 1024

/** Commits answers and returns the results. */
export type CommitAnswers = (answers: readonly Answer[]) => Soon<readonly ToolResult[]>

/**
 * Neighbouring edits of a batch that are staged one on the other and committed together: one sync for all of them, and
 * after a crash all of them or none. Nothing is answered before that.
 */
export class EditGroup implements HeldEdits {
  readonly #run: Run
  readonly #commit: CommitAnswers
  /** Whether edits of this batch may be held at all. */
  readonly isAllowed: boolean
  readonly #results: ToolResult[] = []
  #answers: Answer[] = []
  #files: EarlierEdits | null = null
  #ledger: Map<string, LedgerRow> | null = null
  #isClosed = false
  /** Why a commit failed; nothing is committed after it. */
  #fault: { readonly thrown: unknown } | null = null

  constructor(batch: Batch, run: Run, commit: CommitAnswers) {
    this.#run = run
    this.#commit = commit
    this.isAllowed = mayGroup(batch, run)
  }

  get isEmpty(): boolean {
    return this.#answers.length === 0
  }

  get files(): EarlierEdits {
    this.#files ??= new EarlierEdits()
    return this.#files
  }

  /** The results of the batch so far. */
  get results(): readonly ToolResult[] {
    return this.#results
  }

  /** The same with those that are still to be committed, which count for what is left of the context window. */
  get expected(): readonly ToolResult[] {
    if (this.isEmpty) return this.#results
    return [...this.#results, ...this.#answers.flatMap(({ ahead, result }) => [...ahead, result])]
  }

  get ledger(): (path: string) => LedgerRow | null {
    return (path) => this.#ledger?.get(path) ?? this.#run.log.ledger(path)
  }

  /** Whether a call may be committed together with those that are held; one that is settled already has no effect. */
  mayJoin({ steps }: ReadyGroup): boolean {
    const [step] = steps
    if (!this.isAllowed || this.#isClosed || step === undefined || steps.length > 1) return false
    const { call, tool, facts, judgement } = step
    if (judgement.verdict === 'settle') return !this.isEmpty
    return (
      tool?.groupable === true &&
      facts.tool?.effect === 'edit' &&
      call.isRepeated !== true &&
      // Whether its working folder is there is looked up on disk.
      call.meta.cwd === undefined &&
      mayRunInParallel(this.#run.engine.rules.book, call.name) &&
      !this.#answers.some((held) => isSameCall(held.call, call))
    )
  }

  /** Holds answers until the group is committed. */
  hold(answers: readonly Answer[]): void {
    for (const { entry, payloads, seen } of answers) {
      const contents = new Map(payloads)
      const contentOf = (digest: string): Uint8Array | null => {
        const content = contents.get(digest)
        return content === undefined ? null : bytesOf(content)
      }
      const { execution, changes } = entry
      const isFound = changes.length === 0 || this.files.add({ execution, changes, contentOf })
      // What a tool has stored for its session is looked up in the journal.
      this.#isClosed ||= !isFound || entry.stored !== undefined
      this.#ledger ??= new Map()
      for (const one of seen) this.#ledger.set(one.path, mergeSeen(this.ledger(one.path), one))
    }
    this.#answers.push(...answers)
    this.#isClosed ||= this.#answers.length >= MOST_CALLS || this.files.bytes >= MOST_BYTES
  }

  /** Commits what is held. */
  flush(): Soon<void> {
    if (this.#fault !== null) throw this.#fault.thrown
    const held = this.#answers
    if (held.length === 0) return undefined
    this.#answers = []
    this.#files = null
    this.#ledger = null
    this.#isClosed = false
    return this.#write(held)
  }

  /** Commits answers that nothing is to be staged on, after those that are held. */
  commitNow(answers: readonly Answer[]): Soon<void> {
    return goOnWith(this.flush(), () => (answers.length === 0 ? undefined : this.#write(answers)))
  }

  #write(answers: readonly Answer[]): Soon<void> {
    try {
      const committing = this.#commit(answers)
      if (committing instanceof Promise) return this.#finish(committing)
      this.#results.push(...committing)
      return undefined
    } catch (thrown) {
      return this.#fail(thrown)
    }
  }

  async #finish(committing: Promise<readonly ToolResult[]>): Promise<void> {
    try {
      this.#results.push(...(await committing))
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  #fail(thrown: unknown): never {
    this.#fault = { thrown }
    throw thrown
  }
}

/** Where each call depends on how the one before it ended, or a program is asked about each, they are committed one by one. */
function mayGroup({ calls, landings }: Batch, { engine, isDryRun }: Run): boolean {
  const { settings, gateRunner } = engine
  return (
    settings['tools.edit.group'] &&
    settings['tools.on_execution_error'] !== 'stop' &&
    calls.length > 1 &&
    landings.size === 0 &&
    gateRunner === null &&
    !isDryRun
  )
}

function isSameCall(one: Received, other: Received): boolean {
  return (
    one.name === other.name &&
    repeatKey(one.onRecord.digest, one.meta) === repeatKey(other.onRecord.digest, other.meta)
  )
}
