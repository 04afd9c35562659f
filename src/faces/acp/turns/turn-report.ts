import type { StopReason } from '@agentclientprotocol/sdk'
import { describeCut, describeMissing, describeShrunk, describeUnknownWindow } from '../../../agent/events.ts'
import type { ConversationEvent, OfDelegate, TurnEvent } from '../../../agent/events.ts'
import type { ApprovalRequest } from '../../../core/approval.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import type { ToolResult } from '../../../core/result.ts'
import { countOf } from '../../../schema/problem.ts'
import type { LiveEvent } from '../../../pipeline/engine.ts'
import type { ConversationSource } from '../../../runtime/runtime.ts'
import type { EditorClient } from '../editor-client.ts'
import { contentOf } from '../questions/question-content.ts'
import { CallOutputs } from './call-output.ts'
import { announceCall } from './announce-call.ts'
import type { CallFacts } from './describe-call.ts'
import { resultUpdate } from './result-update.ts'
import { ShownTerminals } from './shown-terminals.ts'

/** What reporting needs. */
export interface ReportDeps {
  readonly client: EditorClient
  readonly source: () => ConversationSource
  readonly facts: () => CallFacts
  /** Shows what changed beside the messages: the plan, and how full the context window is. */
  readonly afterResult: (result: ToolResult) => Promise<void>
}

/** How often the output of a command is shown, at most. */
const OUTPUT_MS = 100

/** Reports what happens in a session to its client, in the order in which it happens. */
export class TurnReport {
  readonly outputs = new CallOutputs()
  readonly #deps: ReportDeps
  /** Arguments of calls that were announced and have no execution yet, by their label. */
  readonly #announced = new Map<string, JsonObject[]>()
  /** The calls that the client knows. */
  readonly #known = new Set<string>()
  readonly #running = new Map<string, string>()
  readonly #terminals = new ShownTerminals()
  #shownAt = 0
  /** Names the message that is being written, so that a client can tell it from the next. */
  #turn = ''
  #messages = 0

  constructor(deps: ReportDeps) {
    this.#deps = deps
  }

  /** Reports an event of the conversation; `done` and `error` are left to the caller. */
  async onEvent(event: ConversationEvent): Promise<void> {
    const { client } = this.#deps
    switch (event.event) {
      case 'text':
        if (event.starts_over === true || event.another === true) this.#messages++
        if (event.starts_over === true)
          await client.notice('warning', 'The message broke off and starts over.')
        if (event.text !== '') await this.#say('agent_message_chunk', event.text)
        return
      case 'reasoning':
        return this.#say('agent_thought_chunk', event.text)
      case 'call':
        this.#messages++
        this.#announced.set(labelOf(event), [...(this.#announced.get(labelOf(event)) ?? []), event.args])
        return
      case 'progress':
        await this.#announce(event)
        this.#running.set(labelOf(event), event.execution)
        if (event.state === 'EXECUTING')
          await client.update({
            sessionUpdate: 'tool_call_update',
            toolCallId: event.execution,
            status: 'in_progress',
          })
        return
      case 'output':
        return this.#onOutput(event)
      case 'result': {
        const { event: _event, ...result } = event
        return this.onResult(result)
      }
      case 'retry':
        return client.notice('warning', `Retrying in ${Math.ceil(event.delay_ms / 1000)} s: ${event.message}`)
      case 'shrunk':
        return client.notice('info', describeShrunk({ ...event, hasSummary: event.messages > 0 }))
      case 'unknown_window':
        return client.notice('info', describeUnknownWindow(event.model, event.assumed_tokens))
      case 'recovered':
        return client.notice(
          'info',
          `Going on after an interruption: ${countOf(event.calls, 'call')}, ${event.in_doubt} in doubt.`,
        )
      case 'turn':
        this.#turn = event.turn
        this.#messages = 0
        return
      case 'approval':
      case 'state':
      case 'landing':
      case 'steered':
      case 'done':
      case 'error':
        return
    }
  }

  /** Reports an event of calls that no model made. */
  async onLive(event: LiveEvent): Promise<void> {
    if (event.event === 'result') await this.onResult(event.result)
    else if (event.event === 'output') await this.onEvent({ ...event, event: 'output' })
    else if (event.event === 'state') await this.onEvent({ ...event, event: 'progress' })
    else if (event.event === 'call') await this.onEvent({ ...event, event: 'call' })
  }

  /** Shows a call that is asked about, and what with. */
  async announceAsked({ execution, call: { id, name, args }, delegate }: ApprovalRequest): Promise<void> {
    await this.#announce({ execution, id, name, ...(delegate === undefined ? {} : { delegate }) }, args)
  }

  /** Shows that a call waits for an answer, with what the answer is about. */
  async showWaiting(request: ApprovalRequest): Promise<void> {
    const { client, facts } = this.#deps
    await this.announceAsked(request)
    const text = 'This call waits for your answer. Send /pending to be asked again.'
    await client.update({
      sessionUpdate: 'tool_call_update',
      toolCallId: request.execution,
      status: 'pending',
      content: [{ type: 'content', content: { type: 'text', text } }, ...contentOf(request, facts())],
      _meta: { tongs: { waiting: { approval: request.id, expires_at: request.expires_at } } },
    })
  }

  /** Shows a call, unless the client knows it. */
  async #announce(call: MadeCall, asked?: JsonObject): Promise<void> {
    const { execution, name } = call
    if (this.#known.has(execution)) return
    this.#known.add(execution)
    const args = this.#announced.get(labelOf(call))?.shift() ?? asked ?? {}
    const { client } = this.#deps
    const facts = this.#deps.facts()
    const isCommand = client.can.terminals && facts.effectOf(name) === 'spawn'
    const shown = isCommand ? this.#terminals.open(execution, facts.toAbsolute('.')) : null
    const { _meta: meta, ...announced } = announceCall({ ...call, args }, facts)
    await client.update({
      ...announced,
      ...(shown === null ? {} : { content: shown.content }),
      _meta: { ...meta, ...shown?.meta },
    })
  }

  /** Shows how a call has ended, or that it waits. */
  async onResult(result: ToolResult & OfDelegate): Promise<void> {
    const { client, source, facts } = this.#deps
    const { id: execution } = result.execution
    await this.#announce({ ...result, execution })
    const hasRun = this.outputs.read(execution, 0) !== null
    this.outputs.end(execution)
    this.#running.delete(labelOf(result))
    await client.update(this.#terminals.end(resultUpdate(result, source(), facts()), result, hasRun))
    await this.#deps.afterResult(result)
  }

  /** Marks a call as known to the client, as after a replay. */
  noteKnown(execution: string): void {
    this.#known.add(execution)
  }

  #say(kind: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void> {
    return this.#deps.client.update({
      sessionUpdate: kind,
      content: { type: 'text', text },
      messageId: `${this.#turn}-${this.#messages}`,
    })
  }

  async #onOutput(event: Extract<TurnEvent, { event: 'output' }>): Promise<void> {
    const { stream, chunk } = event
    const execution = this.#running.get(labelOf(event))
    if (execution === undefined) return
    const { client } = this.#deps
    this.outputs.add(execution, chunk)
    if (client.can.output) await client.notify('_tongs/output', { execution, stream, chunk })
    if (this.#terminals.has(execution)) return client.update(this.#terminals.output(execution, chunk))
    const now = Date.now()
    if (now - this.#shownAt < OUTPUT_MS) return
    this.#shownAt = now
    const text = this.outputs.tail(execution)
    await client.update({
      sessionUpdate: 'tool_call_update',
      toolCallId: execution,
      content: [{ type: 'content', content: { type: 'text', text } }],
    })
  }
}

interface Labelled {
  readonly id: string
  readonly delegate?: { readonly execution: string }
}

interface MadeCall extends Labelled {
  readonly execution: string
  readonly name: string
}

/** What tells a call from others that run: each conversation may give its calls the same ids. */
function labelOf({ id, delegate }: Labelled): string {
  return `${delegate?.execution ?? ''}/${id}`
}

type Done = Extract<TurnEvent, { event: 'done' }>

/** Why a turn stopped, in the words of the protocol. */
export function stopReasonOf({ stop, cut }: Pick<Done, 'stop' | 'cut'>): StopReason {
  if (stop === 'cancelled') return 'cancelled'
  if (stop === 'max_iterations') return 'max_turn_requests'
  if (stop === 'budget' || cut === 'length') return 'max_tokens'
  return cut === 'refused' ? 'refusal' : 'end_turn'
}

/** What a person should know about how a turn ended; null if it is done. */
export function describeEnd({ stop, cut, missing }: Done, waiting: number): string | null {
  if (stop === 'approval_pending')
    return `Waiting for approval: ${waiting === 1 ? 'one call' : `${waiting} calls`}. Send /pending to be asked again.`
  if (stop === 'held') return 'Calls wait for results that you supply with /tool ID RESULT.'
  if (stop === 'budget') return 'The budget of this turn is used up.'
  if (stop === 'max_iterations') return 'The model has asked for tools as often as it may in one turn.'
  if (missing.length > 0) return `${describeMissing(missing)}.`.replace(/^./, (first) => first.toUpperCase())
  return cut === undefined ? null : `${describeCut(cut)}.`.replace(/^./, (first) => first.toUpperCase())
}
