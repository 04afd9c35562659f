import type { AnswerReport, Conversation, Recovery, ToolAnswer } from '../../agent/conversation.ts'
import { openConversation } from '../../agent/open-conversation.ts'
import type { ApprovalAnswer, Approver, GrantRequest } from '../../core/approval.ts'
import type { OnBusy } from '../../core/busy-session.ts'
import type { GrantScope } from '../../core/grant.ts'
import { readAnswer } from '../../core/approval.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { ModelError } from '../../model/model-client.ts'
import type { RecoveryChoice } from '../../pipeline/after/recover.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { Runtime } from '../../runtime/create-runtime.ts'
import type { ShownTask } from '../../runtime/sessions/read-tasks.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { explainThrown } from './explain-thrown.ts'
import { createOneAtATime } from './one-at-a-time.ts'
import { openSessionModel } from './open-session-model.ts'
import { openSessionView } from './session-view.ts'
import type { Tone, View } from './view/view.ts'

/** Some of what happens is told only by the log, which is looked at so often. */
const POLL_MS = 250

/** What is opened. */
export interface OpenSessionRequest {
  readonly session: string
  readonly preset: string | null
  /** As in `anthropic/NAME`; null is none, and `latest` the one that was last spoken to in the session. */
  readonly model: string | null
}

/** What a desk tells, and whom it asks. */
export interface OpenSessionHooks {
  readonly onChange: () => void
  readonly approve: Approver
  /** Hears that a session is in use by another process. */
  readonly onBusy?: OnBusy
}

/** One open session: what is done in it, and the view of it. */
export interface OpenSession {
  readonly runtime: Runtime
  /** What it was opened with, and the model it has by now. */
  readonly request: OpenSessionRequest
  readonly conversation: Conversation | null
  readonly view: () => View
  /** What is to be done in the session, as the log has it. */
  readonly tasks: () => readonly ShownTask[]
  readonly say: (tone: Tone, text: string) => void
  /** Forgets what the screen shows; the log keeps it. */
  readonly clear: () => void
  readonly isBusy: () => boolean
  /** True where nothing is going on; otherwise says that one has to wait. */
  readonly checkIdle: () => boolean
  /** Goes on with another model, or with none; where that one cannot be had it throws, and nothing has changed. */
  readonly useModel: (model: string | null) => Promise<void>
  readonly runCall: (name: string, args: JsonObject) => Promise<void>
  /** A turn with the model; null goes on with what there is to go on with. */
  readonly send: (text: string | null) => Promise<void>
  readonly steer: (text: string) => boolean
  /** Stops what is going on; false where nothing is. */
  readonly cancel: (reason?: string) => boolean
  /** Whether what is going on has been told to stop. */
  readonly isStopping: () => boolean
  /** Whether a call of the session waits for its result, with a model or without. */
  readonly hasHeld: () => boolean
  readonly answerTool: (id: string, answer: ToolAnswer) => AnswerReport
  /** Answers questions that wait; the last answer of a batch runs it. */
  readonly decide: (answers: readonly (readonly [id: string, answer: ApprovalAnswer])[]) => Promise<void>
  readonly findInterruption: () => Promise<Recovery | null>
  readonly recover: (choice: RecoveryChoice) => Promise<void>
  /** Takes in what the log has got meanwhile. */
  readonly catchUp: () => void
  /** Resolves once nothing is going on. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a session of a root, with a model if one can be had. */
export async function openSession(
  opening: AppOpening,
  request: OpenSessionRequest,
  hooks: OpenSessionHooks,
): Promise<OpenSession> {
  const { root, stateDir, actor } = opening
  const runtime = await createRuntime({
    root,
    stateDir,
    loaded: await opening.load(request.preset),
    approve: hooks.approve,
    actor: { id: actor },
    ...(hooks.onBusy === undefined ? {} : { onBusy: hooks.onBusy }),
  })
  try {
    await runtime.ready()
    // Whoever types the first command should not wait for what starts it; that it cannot start, the command will say.
    void runtime.warm().catch(() => undefined)
    return await openWith(runtime, opening, request, hooks.onChange)
  } catch (thrown) {
    await runtime.close()
    throw thrown
  }
}

async function openWith(
  runtime: Runtime,
  opening: AppOpening,
  request: OpenSessionRequest,
  onChange: () => void,
): Promise<OpenSession> {
  const { session } = request
  const { log, held } = await runtime.converse(session)
  const view = openSessionView(log, session, runtime.configuration.settings, onChange)
  const { catchUp, say } = view
  let model: string | null = null
  let conversation: Conversation | null = null
  let typed = 0
  let polling: NodeJS.Timeout | undefined
  const work = createOneAtATime({
    onBegin() {
      onChange()
      polling = setInterval(catchUp, POLL_MS)
    },
    onEnd() {
      clearInterval(polling)
      catchUp()
    },
    onThrown: (thrown) => say('trouble', explainThrown(thrown)),
  })

  function checkIdle(): boolean {
    if (work.isBusy()) say('trouble', 'Something is going on; wait for its end, or cancel it with Esc.')
    return !work.isBusy()
  }

  async function runWork(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (checkIdle()) await work.run(job)
  }

  async function useModel(wanted: string | null): Promise<void> {
    const found = wanted === null ? null : await openSessionModel(wanted, log, opening)
    if (found === null) conversation = null
    else if (conversation === null) {
      const { protocol, limits } = opening
      conversation = await openConversation({ runtime, model: found.client, session, protocol, ...limits })
    } else conversation.setModel(found.client)
    model = wanted
    if (found !== null && found.note !== null) say('plain', found.note)
    onChange()
  }

  /** As work, so that what is said meanwhile is said to the new one. */
  async function changeModel(wanted: string | null): Promise<void> {
    let thrown: unknown = null
    await runWork(() => useModel(wanted).catch((why: unknown) => void (thrown = why)))
    if (thrown !== null) throw thrown
  }

  async function findRecovery(): Promise<Recovery | null> {
    if (conversation !== null) return conversation.recovery()
    const batches = await runtime.recover({ session })
    return batches.length === 0 ? null : { text: null, calls: batches.flatMap(({ calls }) => calls) }
  }

  try {
    await useModel(request.model)
  } catch (thrown) {
    // Without it everything but the conversation works.
    if (!(thrown instanceof ModelError)) throw thrown
    say('trouble', thrown.message)
  }
  return {
    runtime,
    get request() {
      return { ...request, model }
    },
    get conversation() {
      return conversation
    },
    view: view.now,
    tasks: view.tasks,
    say,
    clear: view.clear,
    isBusy: work.isBusy,
    checkIdle,
    useModel: changeModel,
    runCall: (name, args) =>
      runWork(async (signal) => {
        const call = { id: `you-${Date.now().toString(36)}-${++typed}`, name, args }
        await runtime.run([call], { session, signal, onEvent: view.onEvent })
      }),
    send: (text) =>
      runWork(async (signal) => {
        if (conversation === null) return
        for await (const event of conversation.watch(text, { signal })) view.onEvent(event)
      }),
    steer: (text) => conversation?.steer(text) ?? false,
    cancel: work.cancel,
    isStopping: work.isStopping,
    hasHeld: () => held() !== null,
    answerTool: (id, answer) => {
      if (conversation === null)
        return { ok: false, message: 'Name the model with /model first; it is to be told the result.' }
      const report = conversation.answerTool(id, answer)
      catchUp()
      return report
    },
    decide: (answers) =>
      runWork(async (signal) => {
        for (const [id, answer] of answers) {
          const { isApproved, say: words, wish: grant } = readAnswer(answer)
          await runtime.decide([id], {
            session,
            isApproved,
            signal,
            ...(words === null ? {} : { say: words }),
            ...grantOptions(grant),
          })
          catchUp()
        }
      }),
    findInterruption: async () => {
      const found = await findRecovery()
      view.markInterrupted(found?.calls.map(({ execution }) => execution) ?? [])
      return found
    },
    recover: async (choice) => {
      if (conversation === null) await runtime.recover({ session, choice })
      else await conversation[choice]()
      catchUp()
    },
    catchUp,
    idle: work.idle,
    close: () => runtime.close(),
  }
}

/** What an answer is to be remembered for, in the words of `decide`. */
function grantOptions(request: GrantRequest | undefined): {
  readonly scope?: GrantScope
  readonly seconds?: number
} {
  if (request === undefined) return {}
  return request.seconds === null
    ? { scope: request.scope }
    : { scope: request.scope, seconds: request.seconds }
}
