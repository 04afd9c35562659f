import type {
  McpServer,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
} from '@agentclientprotocol/sdk'
import type { Conversation, SendOptions } from '../../agent/conversation.ts'
import { addressOf } from '../../agent/log/last-model.ts'
import type { NamedModel } from '../../agent/model-access.ts'
import { openRoleModels } from '../../agent/delegate/open-role-model.ts'
import { openConversation } from '../../agent/open-conversation.ts'
import { readTitle } from '../../agent/sessions/title.ts'
import type { ApprovalRequest, Approver } from '../../core/approval.ts'
import type { OpenBuffers } from '../../workspace/buffers/open-buffers.ts'
import type { ToolResult } from '../../core/result.ts'
import { DRAINING } from '../../pipeline/approve/wait.ts'
import type { AcpServing } from '../../runtime/acp-serving.ts'
import type { ConversationSource, Runtime } from '../../runtime/runtime.ts'
import { toPlan } from '../../wire/acp/plan-shape.ts'
import { openEditorBuffers } from './editor-buffers.ts'
import type { Abilities, EditorClient } from './editor-client.ts'
import { failed, needsSetup, NO_MODEL } from './explain-error.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { openSession, openSessionModel } from './open-session.ts'
import type { OpenedSession, Opening, Reopened } from './open-session.ts'
import { SessionCommands } from './own-commands.ts'
import { openQuestions } from './questions/open-questions.ts'
import type { OpenQuestions } from './questions/open-questions.ts'
import { modesOf, optionsOf } from './session-options.ts'
import { callFactsOf } from './turns/describe-call.ts'
import type { CallFacts } from './turns/describe-call.ts'
import { describeEnd, stopReasonOf, TurnReport } from './turns/turn-report.ts'

/** Makes the client of a session, once its name is known. */
export type ClientFor = (session: string) => EditorClient

const PLANNING: ReadonlySet<string> = new Set(['todo_write', 'task'])

/** A session of an editor: its runtime, its conversation, and what its client is told of them. */
export class EditorSession {
  readonly client: EditorClient
  readonly questions: OpenQuestions
  readonly report: TurnReport
  readonly commands: SessionCommands
  readonly #serving: AcpServing
  readonly #buffers: OpenBuffers | null
  #opening: Opening
  #opened: OpenedSession
  #facts: CallFacts
  #conversation: Conversation | null = null
  /** MCP servers that the client handed over and that were not asked about yet. */
  handed: readonly McpServer[] = []
  readonly #work = new OneAtATime()
  #hasPlan = false

  private constructor(serving: AcpServing, opening: Opening, opened: OpenedSession, parts: Parts) {
    this.#serving = serving
    this.#opening = opening
    this.#opened = opened
    this.#facts = callFactsOf(opened.runtime)
    this.client = parts.client
    this.questions = parts.questions
    this.report = parts.report
    this.commands = new SessionCommands(parts.client, { root: opening.root, stateDir: serving.stateDir })
    this.#buffers = parts.buffers
  }

  /** Opens a session; throws if another process has it. */
  static async open(
    serving: AcpServing,
    opening: Opening,
    clientFor: ClientFor,
    can: Abilities,
  ): Promise<EditorSession> {
    const parts: { session: EditorSession | null } = { session: null }
    const session = (): EditorSession => {
      if (parts.session === null) throw new Error('a call was asked about before its session was open')
      return parts.session
    }
    const buffers = can.readsFiles ? openEditorBuffers(() => session().client, opening) : null
    const approve: Approver = (requests, asking) => session().questions.approve(requests, asking)
    const opened = await openSession(serving, opening, approve, buffers)
    const client = clientFor(opened.session)
    const report = new TurnReport({
      client,
      source: () => session().source,
      facts: () => session().facts,
      afterResult: (result) => session().#afterResult(result),
    })
    const questions = openQuestions({
      client,
      facts: () => session().facts,
      announce: (request) => report.announceAsked(request),
      showWaiting: (request) => report.showWaiting(request),
    })
    const asked = { ...opening, ...opened.found }
    parts.session = new EditorSession(serving, asked, opened, {
      client,
      report,
      questions,
      buffers,
    })
    return parts.session
  }

  get id(): string {
    return this.#opened.session
  }

  get root(): string {
    return this.#opened.runtime.root
  }

  get runtime(): Runtime {
    return this.#opened.runtime
  }

  get source(): ConversationSource {
    return this.#opened.source
  }

  get facts(): CallFacts {
    return this.#facts
  }

  get conversation(): Conversation | null {
    return this.#conversation
  }

  get modes(): SessionModeState {
    return modesOf(this.#state())
  }

  get options(): SessionConfigOption[] {
    return optionsOf(this.#state())
  }

  /** How it was opened, to open it again. */
  get opening(): Opening {
    return this.#opening
  }

  /** The conversation; rejects if there is no model to talk to. */
  async requireConversation(): Promise<Conversation> {
    if (this.#conversation === null) await this.openModel()
    if (this.#conversation === null) throw needsSetup(NO_MODEL)
    return this.#conversation
  }

  /** Opens the model, if there is one; throws a ModelError if it cannot be opened. */
  async openModel(): Promise<void> {
    const model = await openSessionModel(this.#serving, this.#opened, this.#opening.model)
    if (model === null) return
    if (this.#conversation !== null) {
      this.#conversation.setModel(model)
      return
    }
    const { runtime, session } = this.#opened
    const { protocol, limits } = this.#serving
    const openRoleModel = openRoleModels(runtime, process.env)
    this.#conversation = await openConversation({
      runtime,
      model,
      session,
      protocol,
      openRoleModel,
      ...limits,
    })
  }

  /** Runs one thing at a time; `stop` is aborted when it is cancelled. */
  exclusively<T>(act: (stop: AbortController) => Promise<T>, outside?: AbortSignal): Promise<T> {
    return this.#work.run(act, outside)
  }

  /** Stops what is running. */
  cancel(): void {
    void this.#work.stop()
  }

  /** Runs a turn of the model and reports it; null continues an unfinished one. */
  async runTurn(text: string | null, sending: SendOptions): Promise<PromptResponse> {
    const conversation = await this.requireConversation()
    this.noteUse()
    let error: { readonly code: string; readonly message: string } | null = null
    let response: PromptResponse | null = null
    for await (const event of conversation.watch(text, sending)) {
      await this.report.onEvent(event)
      if (event.event === 'error') error = event
      if (event.event !== 'done') continue
      const waiting = event.stop === 'approval_pending' ? (await this.pending()).length : 0
      const says = error?.message ?? describeEnd(event, waiting)
      if (says !== null) await this.client.notice('warning', says)
      const { stop, usage, changes } = event
      response = { stopReason: stopReasonOf(event), _meta: { tongs: { stop, usage, changes } } }
    }
    await this.showUsage()
    await this.#showTitle()
    if (response !== null) return response
    if (sending.signal?.aborted === true) return { stopReason: 'cancelled' }
    if (error?.code === 'auth') throw needsSetup(error.message)
    throw failed(error?.message ?? 'The turn ended without a result.', error?.code ?? 'unexpected')
  }

  /** The questions of this session that wait for an answer. */
  pending(): Promise<readonly ApprovalRequest[]> {
    return this.runtime.pending({ session: this.id })
  }

  /** Records that the session is in use here, and with which preset. */
  noteUse(): void {
    if (!this.#opening.isFallback) this.source.noteOpened('editor', this.#opening.preset)
  }

  /** Opens the session again with other settings, tools or servers; not while something is running. */
  reopen(change: Partial<Pick<Opening, Reopened>>): Promise<void> {
    return this.exclusively(() => this.reopenNow(change))
  }

  /** The same inside of what is running. */
  async reopenNow(change: Partial<Pick<Opening, Reopened>>): Promise<void> {
    const before = this.#opening
    const hadModel = this.#conversation !== null
    const next: Opening = { ...before, ...change, isOurs: true }
    const approve = this.questions.approve
    await this.#opened.runtime.close()
    try {
      this.#opened = await openSession(this.#serving, next, approve, this.#buffers)
      this.#opening = next
    } catch (thrown) {
      this.#opened = await openSession(this.#serving, { ...before, isOurs: true }, approve, this.#buffers)
      throw thrown
    } finally {
      this.#conversation = null
      this.#facts = callFactsOf(this.#opened.runtime)
    }
    if (hadModel) await this.openModel()
    if (change.preset !== undefined && this.source.log.latestSeq() > 0) this.noteUse()
  }

  /** Switches to another model from the next turn on. */
  async setModel(model: NamedModel): Promise<void> {
    const before = this.#opening
    this.#opening = { ...before, model }
    try {
      await this.openModel()
    } catch (thrown) {
      this.#opening = before
      throw thrown
    }
    const current = this.#conversation?.model()
    if (current !== undefined && this.source.log.latestSeq() > 0) this.source.noteModel(addressOf(current))
  }

  /** Shows how full the context window is. */
  async showUsage(): Promise<void> {
    const context = this.#conversation?.context()
    const size = context?.context_tokens ?? context?.assumed_tokens ?? null
    if (context === undefined || size === null) return
    const { used_tokens: used, total, turn } = context
    await this.client.update({ sessionUpdate: 'usage_update', used, size, _meta: { tongs: { total, turn } } })
  }

  /** Shows the work items of the session. */
  async showPlan(): Promise<void> {
    const items = await this.runtime.tasks({ session: this.id })
    // A plan that was shown is replaced, also by none.
    if (items.length === 0 && !this.#hasPlan) return
    this.#hasPlan = items.length > 0
    await this.client.update({ sessionUpdate: 'plan', entries: toPlan(items) })
  }

  /** Ends it: what is asked keeps waiting, what runs is stopped and rolled back. */
  async close(): Promise<void> {
    this.questions.putOff()
    await this.#work.stop(DRAINING)
    await this.runtime.close()
  }

  async #afterResult({ name, ok }: ToolResult): Promise<void> {
    if (ok && PLANNING.has(name)) await this.showPlan()
  }

  async #showTitle(): Promise<void> {
    const title = readTitle(this.runtime.peek(this.id))
    if (title !== null) await this.client.update({ sessionUpdate: 'session_info_update', title })
  }

  #state() {
    const { runtime } = this.#opened
    return { runtime, preset: this.#opening.preset, model: this.#conversation?.model().id ?? null }
  }
}

interface Parts {
  readonly client: EditorClient
  readonly report: TurnReport
  readonly questions: OpenQuestions
  readonly buffers: OpenBuffers | null
}
