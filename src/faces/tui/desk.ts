import type { AnswerReport, Conversation, Recovery, ToolAnswer } from '../../agent/conversation.ts'
import { openConversation } from '../../agent/open-conversation.ts'
import { findSpokenWith, serverFor } from '../../agent/spoken-with.ts'
import type { ApprovalAnswer, Approver, GrantWish } from '../../core/approval.ts'
import type { OnBusy } from '../../core/busy-session.ts'
import type { GrantScope } from '../../core/grant.ts'
import { readAnswer } from '../../core/approval.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { ModelError } from '../../model/model-client.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel } from '../../model/open-model.ts'
import type { RecoveryChoice } from '../../pipeline/recover.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { Runtime } from '../../runtime/create-runtime.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { foldEntry } from './view/fold-entry.ts'
import { addNotice, foldLive, markInterrupted } from './view/fold-live.ts'
import type { NowEvent } from './view/fold-live.ts'
import { clearView, EMPTY_VIEW, keepNewest } from './view/view.ts'
import type { Tone, View } from './view/view.ts'
import type { SessionLog } from '../../journal/log.ts'

const LOOK_MS = 250

/** What is opened; all of it can be changed by opening again. */
export interface DeskWish {
  readonly session: string
  readonly preset: string | null
  /** As in `anthropic/NAME`; null is none, and `latest` the one that was last spoken to in the session. */
  readonly model: string | null
}

/** What a desk tells, and whom it asks. */
export interface DeskHooks {
  readonly onChange: () => void
  readonly approve: Approver
  /** Hears that a session is in use by another process. */
  readonly onBusy?: OnBusy
}

/** One open session: what is done in it, and the view of it. */
export interface Desk {
  readonly runtime: Runtime
  readonly wish: DeskWish
  readonly conversation: Conversation | null
  readonly view: () => View
  readonly say: (tone: Tone, text: string) => void
  /** Forgets what the screen shows; the log keeps it. */
  readonly clear: () => void
  readonly isBusy: () => boolean
  readonly runCall: (name: string, args: JsonObject) => Promise<void>
  /** A turn with the model; null goes on with what there is to go on with. */
  readonly talk: (text: string | null) => Promise<void>
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
export async function openDesk(opening: AppOpening, wish: DeskWish, hooks: DeskHooks): Promise<Desk> {
  const loaded = await opening.load(wish.preset)
  const { root, stateDir, actor } = opening
  const runtime = await createRuntime({
    root,
    stateDir,
    loaded,
    approve: hooks.approve,
    actor: { id: actor },
    ...(hooks.onBusy === undefined ? {} : { onBusy: hooks.onBusy }),
  })
  let model: ModelClient | null = null
  let view = EMPTY_VIEW
  let seq = 0
  let work: Promise<void> | null = null
  let stop = new AbortController()
  let typed = 0
  const settings = loaded.settings
  const outputLines = settings['ui.output_lines']
  const most = settings['ui.history_entries']
  try {
    await runtime.ready()
    // Whoever types the first command should not wait for what starts it; that it cannot start, the command will say.
    void runtime.warm().catch(() => undefined)
    const source = await runtime.converse(wish.session)
    const { log } = source
    seq = firstEntry(log, most) - 1
    catchUp(log)
    try {
      const latest = findSpokenWith(log)
      const spec = wish.model === 'latest' ? (latest?.model ?? null) : wish.model
      const baseUrl = spec === null ? null : serverFor(spec, opening.baseUrl, latest)
      model =
        spec === null
          ? null
          : await openModel(spec, { env: process.env, ...(baseUrl === null ? {} : { baseUrl }) })
      if (baseUrl !== null && opening.baseUrl === null)
        view = addNotice(view, 'plain', `${spec} is reached at ${baseUrl}, as before in this session.`)
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown
      view = addNotice(view, 'trouble', thrown.message)
    }
    const conversation = model === null ? null : await talkWith(model)
    return makeDesk(source, conversation)
  } catch (thrown) {
    await runtime.close()
    throw thrown
  }

  function talkWith(client: ModelClient): Promise<Conversation> {
    const { protocol, limits } = opening
    return openConversation({ runtime, model: client, session: wish.session, protocol, ...limits })
  }

  function catchUp(log: SessionLog): void {
    for (const stored of log.entries(seq + 1)) {
      view = foldEntry(view, stored, log.payload)
      seq = stored.seq
    }
    view = keepNewest(view, most)
    hooks.onChange()
  }

  function say(tone: Tone, text: string): void {
    view = addNotice(view, tone, text)
    hooks.onChange()
  }

  async function lookForInterruption(conversation: Conversation | null): Promise<Recovery | null> {
    if (conversation !== null) return conversation.recovery()
    const batches = await runtime.recover({ session: wish.session })
    return batches.length === 0 ? null : { text: null, calls: batches.flatMap(({ calls }) => calls) }
  }

  function makeDesk({ log, held }: ConversationSource, conversation: Conversation | null): Desk {
    const onNow = (event: NowEvent): void => {
      // Output comes by the thousand and is not in the log.
      if (event.event !== 'output' && event.event !== 'text') catchUp(log)
      view = foldLive(view, event, Date.now(), outputLines)
      hooks.onChange()
    }

    /** One thing at a time; whatever goes wrong is said and ends nothing else. */
    async function attend(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
      stop = new AbortController()
      const { signal } = stop
      work = (async () => {
        try {
          await job(signal)
        } catch (thrown) {
          say('trouble', thrown instanceof Error ? thrown.message : String(thrown))
        }
      })()
      hooks.onChange()
      // Some of what happens is told only by the log.
      const looking = setInterval(() => catchUp(log), LOOK_MS)
      await work
      clearInterval(looking)
      work = null
      catchUp(log)
    }

    return {
      runtime,
      wish,
      conversation,
      view: () => view,
      say,
      clear: () => {
        view = clearView(view)
        hooks.onChange()
      },
      isBusy: () => work !== null,
      runCall: (name, args) =>
        attend(async (signal) => {
          const call = { id: `you-${Date.now().toString(36)}-${++typed}`, name, args }
          await runtime.run([call], { session: wish.session, signal, onEvent: onNow })
        }),
      talk: (text) =>
        attend(async (signal) => {
          if (conversation === null) return
          for await (const event of conversation.send(text, { signal })) onNow(event)
        }),
      steer: (text) => conversation?.steer(text) ?? false,
      cancel: (reason) => {
        if (work === null) return false
        stop.abort(reason)
        return true
      },
      isStopping: () => work !== null && stop.signal.aborted,
      hasHeld: () => held() !== null,
      answerTool: (id, answer) => {
        if (conversation === null)
          return { ok: false, message: 'Name the model with /model first; it is to be told the result.' }
        const report = conversation.answerTool(id, answer)
        catchUp(log)
        return report
      },
      decide: (answers) =>
        attend(async (signal) => {
          for (const [id, answer] of answers) {
            const { isApproved, say: words, wish: remembered } = readAnswer(answer)
            await runtime.decide([id], {
              session: wish.session,
              isApproved,
              signal,
              ...(words === null ? {} : { say: words }),
              ...rememberFor(remembered),
            })
            catchUp(log)
          }
        }),
      findInterruption: async () => {
        const found = await lookForInterruption(conversation)
        view = markInterrupted(view, new Set(found?.calls.map(({ execution }) => execution)))
        hooks.onChange()
        return found
      },
      recover: async (choice) => {
        if (conversation === null) await runtime.recover({ session: wish.session, choice })
        else if (choice === 'resume') await conversation.resume()
        else await conversation.discard()
        catchUp(log)
      },
      catchUp: () => catchUp(log),
      idle: async () => {
        await work
      },
      close: () => runtime.close(),
    }
  }
}

/** What an answer is to be remembered for, in the words of `decide`. */
function rememberFor(wish: GrantWish | undefined): {
  readonly scope?: GrantScope
  readonly seconds?: number
} {
  if (wish === undefined) return {}
  return wish.seconds === null ? { scope: wish.scope } : { scope: wish.scope, seconds: wish.seconds }
}

/** Where to begin reading, so that at most so many entries are shown. */
function firstEntry(log: SessionLog, most: number): number {
  const [newest] = log.newestFirst()
  return Math.max(1, (newest?.seq ?? 0) - most + 1)
}
