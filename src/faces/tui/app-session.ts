import type {
  AnswerReport,
  Conversation,
  InterruptedEdits,
  Recovery,
  ToolAnswer,
} from '../../agent/conversation.ts'
import { sumUpEdits, takeBackDiscarded } from '../../agent/sessions/interrupted-edits.ts'
import { openRoleModels } from '../../agent/delegate/open-role-model.ts'
import { openConversation } from '../../agent/open-conversation.ts'
import type { ApprovalAnswer } from '../../core/approval.ts'
import { readAnswer } from '../../core/approval.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { ModelError } from '../../model/model-client.ts'
import type { RecoveryChoice } from '../../pipeline/after/recover.ts'
import { findCommands } from '../../runtime/commands/find-commands.ts'
import type { OwnCommands } from '../../runtime/commands/own-command.ts'
import type { ConversationSource, Runtime } from '../../runtime/runtime.ts'
import type { ShownTask } from '../../runtime/sessions/read-tasks.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import type { AppSessionRequest, ModelRequest } from './session-request.ts'
import { explainThrown } from './explain-thrown.ts'
import { grantOptions } from './grant-options.ts'
import { createOneAtATime } from './one-at-a-time.ts'
import type { OneAtATime } from './one-at-a-time.ts'
import { noteModelOf, openSessionModel } from './open-session-model.ts'
import { openSessionView } from './session-view.ts'
import type { SessionView } from './session-view.ts'
import type { Tone, View } from './view/view.ts'

/** How often the log is polled, because some changes appear only there. */
const POLL_MS = 250

/** What a session is made of. */
export interface AppSessionOptions {
  readonly runtime: Runtime
  readonly opening: AppOpening
  readonly request: AppSessionRequest
  readonly source: ConversationSource
  readonly onChange: () => void
}

/** An open session: its work, its conversation and its view. */
export class AppSession {
  readonly runtime: Runtime
  readonly #opening: AppOpening
  readonly #request: AppSessionRequest
  readonly #source: ConversationSource
  readonly #onChange: () => void
  readonly #view: SessionView
  readonly #work: OneAtATime
  #used: ModelRequest = { model: null }
  #conversation: Conversation | null = null
  #typedCalls = 0

  constructor({ runtime, opening, request, source, onChange }: AppSessionOptions) {
    this.runtime = runtime
    this.#opening = opening
    this.#request = request
    this.#source = source
    this.#onChange = onChange
    const { settings } = runtime.configuration
    this.#view = openSessionView(source, request.session, settings, onChange)
    let polling: NodeJS.Timeout | undefined
    this.#work = createOneAtATime({
      onBegin: () => {
        onChange()
        polling = setInterval(this.#view.catchUp, POLL_MS)
      },
      onEnd: () => {
        clearInterval(polling)
        this.#view.catchUp()
      },
      onThrown: (thrown) => this.say('trouble', explainThrown(thrown)),
    })
  }

  /** What it was opened with, and its current model. */
  get request(): AppSessionRequest {
    return { ...this.#request, ...this.#used }
  }

  get conversation(): Conversation | null {
    return this.#conversation
  }

  view(): View {
    return this.#view.now()
  }

  /** The tasks of the session, from the log. */
  tasks(): readonly ShownTask[] {
    return this.#view.tasks()
  }

  say(tone: Tone, text: string): void {
    this.#view.say(tone, text)
  }

  /** Clears the view; the log keeps everything. */
  clear(): void {
    this.#view.clear()
  }

  /** Reads new log entries into the view. */
  catchUp(): void {
    this.#view.catchUp()
  }

  isBusy(): boolean {
    return this.#work.isBusy()
  }

  /** Whether the running work was told to stop. */
  isStopping(): boolean {
    return this.#work.isStopping()
  }

  /** Stops the running work; false if there is none. */
  cancel(reason?: string): boolean {
    return this.#work.cancel(reason)
  }

  /** Resolves when no work is running. */
  idle(): Promise<void> {
    return this.#work.idle()
  }

  close(): Promise<void> {
    return this.runtime.close()
  }

  /** True if no work is running; otherwise tells the user to wait. */
  checkIdle(): boolean {
    if (this.isBusy())
      this.say('trouble', 'Something is still running; wait for it to end, or cancel it with Esc.')
    return !this.isBusy()
  }

  /** Runs a job unless something is running; cancelling stops it. */
  work(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.#run(job)
  }

  async #run(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.checkIdle()) await this.#work.run(job)
  }

  /** Reports a model that cannot be opened, because everything but the conversation works without one. */
  async openFirstModel(signal?: AbortSignal): Promise<void> {
    try {
      await this.#openModel(this.#request, signal)
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown
      this.say('trouble', thrown.message)
    }
  }

  /**
   * Switches to another model, or to none; throws and changes nothing if it cannot be opened. It counts as work, so that
   * text typed meanwhile goes to the new model.
   */
  async useModel(model: string | null, more: Omit<ModelRequest, 'model'> = {}): Promise<void> {
    let thrown: unknown = null
    await this.#run((signal) =>
      this.#openModel({ model, ...more }, signal).catch((why: unknown) => void (thrown = why)),
    )
    if (thrown !== null) throw thrown
    if (this.isBegun()) noteModelOf(this.#conversation, this.#source)
  }

  async #openModel(wanted: ModelRequest, signal?: AbortSignal): Promise<void> {
    const { runtime } = this
    const { protocol, limits } = this.#opening
    const { session } = this.#request
    const { model, baseUrl = null, contextTokens = null } = wanted
    const { settings } = runtime.configuration
    const found =
      model === null
        ? null
        : await openSessionModel(
            { model, baseUrl, contextTokens },
            this.#source,
            this.#opening,
            settings,
            signal,
          )
    if (found === null) this.#conversation = null
    else if (this.#conversation !== null) this.#conversation.setModel(found.client)
    else {
      const openRoleModel = openRoleModels(runtime, process.env)
      const given = { runtime, session, protocol, openRoleModel, ...limits }
      this.#conversation = await openConversation({ ...given, model: found.client })
    }
    this.#used = { model: found?.client.id ?? model, baseUrl: found?.client.baseUrl ?? null, contextTokens }
    for (const note of found?.notes ?? []) this.say('plain', note)
    this.#onChange()
  }

  /** Records that the session is in use here, and with which preset. */
  #noteUse(): void {
    if (this.#request.isFallback !== true) this.#source.noteOpened('app', this.#request.preset)
  }

  /** Records a changed preset, unless nothing is on record yet: then the first use does. */
  notePreset(): void {
    if (this.isBegun()) this.#noteUse()
  }

  /** Whether anything of the session is on record. */
  isBegun(): boolean {
    return this.#source.log.latestSeq() > 0
  }

  runCall(name: string, args: JsonObject): Promise<void> {
    return this.#run(async (signal) => {
      this.#noteUse()
      noteModelOf(this.#conversation, this.#source)
      const { session } = this.#request
      const call = { id: `you-${Date.now().toString(36)}-${++this.#typedCalls}`, name, args }
      await this.runtime.run([call], { session, signal, onEvent: this.#view.onEvent })
    })
  }

  /** Runs a turn with the model; null continues an unfinished one. */
  send(text: string | null): Promise<void> {
    return this.#run(async (signal) => {
      if (this.#conversation === null) return
      this.#noteUse()
      for await (const event of this.#conversation.watch(text, { signal })) this.#view.onEvent(event)
    })
  }

  /** The commands that are files, as they are now. */
  ownCommands(): OwnCommands {
    return findCommands({ root: this.runtime.root, stateDir: this.#opening.stateDir, env: process.env })
  }

  steer(text: string): boolean {
    return this.#conversation?.steer(text) ?? false
  }

  /** Whether a call of the session waits for a supplied result, even without a model. */
  hasHeld(): boolean {
    return this.#source.held() !== null
  }

  answerTool(id: string, answer: ToolAnswer): AnswerReport {
    if (this.#conversation === null)
      return { ok: false, message: 'Choose a model with /model first; the result goes to it.' }
    const report = this.#conversation.answerTool(id, answer)
    this.catchUp()
    return report
  }

  /** Answers pending approvals; the last answer of a batch runs it. */
  decide(answers: readonly (readonly [id: string, answer: ApprovalAnswer])[]): Promise<void> {
    return this.#run(async (signal) => {
      const { session } = this.#request
      for (const [id, answer] of answers) {
        const { isApproved, say, hunks, wish: grant } = readAnswer(answer)
        const { faults } = await this.runtime.decide([id], {
          session,
          isApproved,
          signal,
          ...(say === null ? {} : { say }),
          ...(hunks === undefined ? {} : { hunks }),
          ...grantOptions(grant),
        })
        for (const { why } of faults) this.say('trouble', `The question ${why}.`)
        this.catchUp()
      }
    })
  }

  async findInterruption(): Promise<Recovery | null> {
    const found = await this.#findRecovery()
    this.#view.markInterrupted(found?.calls.map(({ execution }) => execution) ?? [])
    return found
  }

  async #findRecovery(): Promise<Recovery | null> {
    if (this.#conversation !== null) return this.#conversation.recovery()
    const batches = await this.runtime.recover({ session: this.#request.session })
    if (batches.length === 0) return null
    const calls = batches.flatMap((batch) => batch.calls)
    return { text: null, calls, edits: sumUpEdits(this.runtime, this.#request.session, calls) }
  }

  async recover(choice: RecoveryChoice, edits: InterruptedEdits | null = null): Promise<void> {
    if (this.#conversation === null) await this.runtime.recover({ session: this.#request.session, choice })
    else await this.#conversation[choice]()
    const fault = await takeBackDiscarded(this.runtime, this.#request.session, choice, edits)
    if (fault !== null) this.say('trouble', fault)
    this.catchUp()
  }
}
