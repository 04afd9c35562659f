import type { ModelMessage } from 'ai'
import type { ApprovalRequest } from '../../core/approval.ts'
import type { Actor } from '../../core/call.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { rowOfOnly } from '../../core/result.ts'
import type { ToolResult } from '../../core/result.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'
import type { RunOptions, Runtime } from '../../runtime/runtime.ts'
import { isAbout, placeOf, readAnswers } from './read-messages.ts'
import { StepBatches } from './step-batches.ts'

/** Who calls, and where it is recorded. */
export interface CallerOptions {
  /** The session of the calls; name it if a conversation goes on in another process. A new one if absent. */
  readonly session?: string
  /** Who is responsible for the calls; the runtime's if absent. */
  readonly actor?: Actor
  /** Who answers questions in the application; the runtime's actor if absent. */
  readonly approver?: Actor
  readonly onEvent?: (event: LiveEvent) => void
}

/** A call as the SDK makes it. */
export interface SdkCall {
  readonly name: string
  readonly input: JsonValue
  readonly toolCallId: string
  readonly messages: readonly ModelMessage[]
}

/** The calls of a loop of the SDK. All of them go through the runtime; nothing here decides about a call. */
export class SdkCalls {
  readonly #runtime: Runtime
  readonly #options: CallerOptions
  readonly #batches: StepBatches
  #beginning: Promise<string> | null = null
  /** The executions of calls that were asked about, by what makes them the same call. */
  readonly #asked = new Map<string, string>()
  /** The denials that were given to their questions; a later call of the same id is another one. */
  readonly #noted = new Set<string>()

  constructor(runtime: Runtime, options: CallerOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#batches = new StepBatches(async (calls, { messages, signal }) =>
      runtime.run(calls, {
        ...(await this.#where(messages, calls[0]?.id ?? '')),
        ...(signal === undefined ? {} : { signal }),
      }),
    )
  }

  /**
   * Whether the application has to ask a person. If so, the call is on record and waits before they are asked, so that
   * their answer is one to a question of ours.
   */
  async asks(call: SdkCall): Promise<boolean> {
    if (this.#runtime.asking !== 'later') return false
    await this.noteDenials(call.messages)
    const open = await this.#findQuestion(call)
    if (open !== null) return open.kind === 'call'
    // An answer without a question here permits nothing; running the call says what became of it.
    if (answerTo(call) !== null) return true
    const request = { id: call.toolCallId, name: call.name, args: call.input }
    const session = await this.#session()
    const [judged] = await this.#runtime.policy.check([request], { session, origin: 'model' })
    if (judged?.verdict !== 'ask') return false
    const where = await this.#where(call.messages, call.toolCallId)
    const row = rowOfOnly(await this.#runtime.run([request], where))
    if (row === null) return false
    this.#asked.set(keyOf(call), row.execution.id)
    return isWaiting(row)
  }

  /** Runs a call, or goes on with one that was asked about. */
  async run(call: SdkCall, signal: AbortSignal | undefined): Promise<ToolResult> {
    await this.noteDenials(call.messages)
    const session = await this.#session()
    const question = await this.#findQuestion(call)
    if (question !== null) {
      // What a command changed is another question than whether it may run, and is asked elsewhere.
      if (question.kind === 'call' && answerTo(call) === true) await this.#approve(question, signal)
      return this.#take(call, session, question.execution)
    }
    const execution = this.#asked.get(keyOf(call))
    if (execution !== undefined) return this.#take(call, session, execution)
    const { toolCallId: id, name, input, messages } = call
    return this.#batches.run({ id, name, args: input }, { messages, signal })
  }

  /** The bytes of what came with a result of this session; null if they were erased. */
  async contentOf(sha256: string): Promise<Uint8Array | null> {
    return this.#runtime.peek(await this.#session()).payload(sha256)
  }

  /** Gives the questions of this session the denials that these messages have for them. */
  async noteDenials(messages: readonly ModelMessage[]): Promise<void> {
    const newest = new Map(readAnswers(messages).map((answer) => [answer.toolCallId, answer]))
    const denials = [...newest.values()].filter(
      ({ isApproved, approvalId }) => !isApproved && !this.#noted.has(approvalId),
    )
    if (denials.length === 0) return
    const session = await this.#session()
    const open = await this.#runtime.pending({ session })
    for (const denial of denials) {
      this.#noted.add(denial.approvalId)
      const { reason } = denial
      for (const { id } of open.filter(({ kind, call }) => kind === 'call' && isAbout(denial, call)))
        await this.#decide(id, { isApproved: false, ...(reason === null ? {} : { say: reason }) })
    }
  }

  async #approve(question: ApprovalRequest, signal: AbortSignal | undefined): Promise<void> {
    await this.#decide(question.id, { isApproved: true, ...(signal === undefined ? {} : { signal }) })
  }

  async #decide(
    id: string,
    given: { readonly isApproved: boolean; readonly say?: string; readonly signal?: AbortSignal },
  ): Promise<void> {
    const { approver } = this.#options
    const session = await this.#session()
    await this.#runtime.decide([id], {
      session,
      ...given,
      ...(approver === undefined ? {} : { actor: approver }),
    })
  }

  /** What became of a call that was asked about. */
  #take(call: SdkCall, session: string, execution: string): ToolResult {
    const row = this.#runtime.rowOf(session, execution)
    if (row === null) throw new Error(`the call ${call.toolCallId} is not on record`)
    if (!isWaiting(row)) this.#asked.delete(keyOf(call))
    return row
  }

  /** The open question about exactly this call. */
  async #findQuestion({ toolCallId, name, input }: SdkCall): Promise<ApprovalRequest | null> {
    const session = await this.#session()
    await this.#runtime.expire(session)
    const args = canonicalJson(input)
    const open = await this.#runtime.pending({ session })
    return (
      open.find(
        ({ call }) => call.id === toolCallId && call.name === name && canonicalJson(call.args) === args,
      ) ?? null
    )
  }

  async #where(messages: readonly ModelMessage[], toolCallId: string): Promise<RunOptions> {
    const { actor, onEvent } = this.#options
    return {
      session: await this.#session(),
      origin: 'model',
      ...placeOf(messages, toolCallId),
      ...(actor === undefined ? {} : { actor }),
      ...(onEvent === undefined ? {} : { onEvent }),
    }
  }

  async #session(): Promise<string> {
    const { session } = this.#options
    if (session !== undefined) return session
    this.#beginning ??= this.#runtime.begin('ai-')
    return this.#beginning
  }
}

/** The newest answer to a call in its messages; null if there is none, or only to an earlier call of the same id. */
function answerTo({ messages, toolCallId: id, name, input: args }: SdkCall): boolean | null {
  const answer = readAnswers(messages).findLast((one) => isAbout(one, { id, name, args }))
  return answer === undefined || answer.isUsed ? null : answer.isApproved
}

/** What makes a call the same call. */
function keyOf({ toolCallId, name, input }: SdkCall): string {
  return `${toolCallId}\n${name}\n${canonicalJson(input)}`
}

function isWaiting(row: ToolResult): boolean {
  return !row.ok && row.error.code === 'approval_required'
}
