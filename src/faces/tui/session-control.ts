import { LATEST } from './open-session-model.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import type { AppState } from './app-state.ts'
import { openSession } from './open-session.ts'
import type { AppSessionRequest } from './session-request.ts'
import type { AppSession } from './app-session.ts'
import type { AppSessionHooks, WantedSession } from './open-session.ts'
import { explainThrown } from './explain-thrown.ts'
import type { Recovery } from '../../agent/conversation.ts'
import { callsOf } from './view/view.ts'
import type { View } from './view/view.ts'
import type { Dialogs } from './sheets/dialogs.ts'

/** What reopening can change. */
export interface Reopening extends Partial<
  Pick<AppSessionRequest, 'preset' | 'model' | 'baseUrl' | 'contextTokens'>
> {
  /** Null begins a new session. */
  readonly session?: string | null
}

/** Operations on the app's session as a whole. */
export interface SessionControl {
  /** Reopens the session with a change that is chosen when its turn comes; not while it is busy. */
  readonly reopen: (choose: (session: AppSession) => Reopening) => Promise<void>
  /** Resolves when a session is open again, for example after a change of preset, and can be used; null if it can. */
  readonly settling: () => Promise<void> | null
  /** Asks about an interruption, or mentions pending approvals. */
  readonly welcome: () => Promise<void>
  /** Asks what to do about an interruption; false if it stays undecided, null if there is none. */
  readonly decideInterruption: () => Promise<boolean | null>
  /**
   * Guides to a model and uses it; true if there is one now. The words that are waiting for it are shown, and stay with
   * the caller.
   */
  readonly setUp: (words: string | null) => Promise<boolean>
  /** Asks about the pending approvals of this session. */
  readonly askPending: () => Promise<void>
  /** Runs work in the background; errors are shown and end nothing. */
  readonly attempt: (work: Promise<void>) => void
}

/** Creates the operations for the session in the state. */
export function createSessionControl(
  state: AppState,
  opening: AppOpening,
  hooks: AppSessionHooks,
  dialogs: Dialogs,
): SessionControl {
  const { reopenSession, settling } = createReopening(state, opening, hooks)
  /** While the log is searched, nothing may begin: it would look like what another process left. */
  let searching: Promise<void> | null = null

  async function reopen(choose: (session: AppSession) => Reopening): Promise<void> {
    if (await reopenSession(choose)) await welcome()
  }

  async function welcome(): Promise<void> {
    if ((await decideInterruption()) === null) await mentionPending()
  }

  async function decideInterruption(): Promise<boolean | null> {
    const search = state.session.findInterruption()
    searching = search.then(
      () => void (searching = null),
      () => void (searching = null),
    )
    const found = await search
    state.isUndecided = found !== null
    const choice = found === null ? null : await dialogs.recovery(found)
    state.isUndecided = found !== null && choice === null
    if (found === null) return null
    if (choice === null) {
      state.session.say('trouble', 'An interruption is still undecided; /recover asks again.')
      return false
    }
    const isOurs = isTyped(found, state.session.view())
    await state.session.recover(choice, found.edits)
    if (choice === 'resume' && !isOurs && state.session.conversation !== null) await state.session.send(null)
    return true
  }

  async function mentionPending(): Promise<void> {
    const waiting = await state.session.runtime.pending({ session: state.session.request.session })
    if (waiting.length > 0)
      state.session.say('plain', `Calls waiting for approval: ${waiting.length}. /pending shows them.`)
  }

  async function askPending(): Promise<void> {
    if (!state.session.checkIdle()) return
    const { runtime, request: at } = state.session
    const waiting = await runtime.pending({ session: at.session })
    if (waiting.length === 0) {
      state.session.say('plain', 'Nothing is waiting for approval.')
      return
    }
    const end = new AbortController()
    const grantSeconds = runtime.configuration.settings['tools.approval.grant_seconds']
    const answers = await dialogs.approval(waiting, { signal: end.signal, grantSeconds }, () => end.abort())
    if (answers === 'later') return
    await state.session.decide(waiting.map(({ id }, index) => [id, answers[index] ?? 'deny'] as const))
    if (state.session.conversation !== null) await state.session.send(null)
  }

  async function setUp(words: string | null): Promise<boolean> {
    if (!state.session.checkIdle()) return false
    const { runtime } = state.session
    const { settings } = runtime.configuration
    const { runSetup } = await import('../../setup/run-setup.ts')
    const world = { env: process.env, settings, root: runtime.root }
    const end = await runSetup(dialogs.setup, world, { introduction: introduce(words) })
    if (end.is === 'left') {
      const left = state.session.conversation === null ? `${LEFT} ${BY_HAND}` : LEFT
      state.session.say('plain', words === null ? left : `${left} Up brings your words back.`)
      return false
    }
    const { spec: model, baseUrl, contextTokens } = end.chosen
    await reopen(() => ({ model, baseUrl, contextTokens }))
    for (const sentence of end.says) state.session.say('good', sentence)
    return state.session.conversation !== null
  }

  function attempt(work: Promise<void>): void {
    work.catch((thrown: unknown) => {
      state.session.say('trouble', explainThrown(thrown))
    })
  }

  return {
    reopen,
    settling: () => settling() ?? searching,
    welcome,
    decideInterruption,
    askPending,
    setUp,
    attempt,
  }
}

/** Whether only calls that a person typed were interrupted: there is no turn of the model that could go on. */
function isTyped({ text, calls }: Recovery, view: View): boolean {
  const typed = new Set(callsOf(view).flatMap(({ key, origin }) => (origin === 'person' ? [key] : [])))
  return text === null && calls.every(({ execution }) => typed.has(execution))
}

const LEFT = 'Nothing was set up; /setup asks again.'
const BY_HAND = 'Without a model you type calls, such as read_file path=README.md.'
const WORDS_CHARS = 60

/** What the first page of setup says to words that no model can answer yet. */
function introduce(words: string | null): readonly string[] {
  if (words === null) return []
  const short = words.length > WORDS_CHARS ? `${words.slice(0, WORDS_CHARS).toWellFormed()}…` : words
  return [
    `There is no model yet to answer "${short}".`,
    'Two steps: choose where answers come from, then a model. Your words are sent right after.',
  ]
}

/** A session opens at once, unless a command that prints the key of its model takes its time. */
const SLOW = 'opening the session; Esc stops waiting for a key'
const SLOW_MS = 1_000

/** Reopens the session in the state, or opens another one. */
function createReopening(state: AppState, opening: AppOpening, hooks: AppSessionHooks) {
  let reopened: Promise<void> = Promise.resolve()
  let settling: Promise<void> | null = null

  /** One at a time: a session that is being opened cannot be reopened. True if another session is open now. */
  async function reopenSession(choose: (session: AppSession) => Reopening): Promise<boolean> {
    const { promise, resolve: settle } = Promise.withResolvers<void>()
    settling = promise
    const hasMoved = reopened
      .then(() => openAgain(choose(state.session), settle))
      .finally(() => {
        settle()
        if (settling === promise) settling = null
      })
    reopened = hasMoved.then(
      () => undefined,
      () => undefined,
    )
    return hasMoved
  }

  /** True if another session is open now; `settle` is called early if the old one stays usable meanwhile. */
  async function openAgain(change: Reopening, settle: () => void): Promise<boolean> {
    const { session } = state
    if (!session.checkIdle()) return false
    const before = session.request
    // A closed session may be taken by another process at once, so it stays open until the next one is.
    const isKnown = session.runtime.sessions().some(({ name }) => name === change.session)
    const isOtherSession = change.session !== undefined && change.session !== before.session
    if (isOtherSession) settle()
    else await session.close()
    const stop = new AbortController()
    const stoppable = { ...hooks, signal: stop.signal }
    state.stopWaiting = () => stop.abort()
    const slow = setTimeout(() => {
      state.hint = SLOW
      hooks.onChange()
    }, SLOW_MS).unref()
    try {
      const next = await openSession(opening, nextRequest(before, change, opening, isKnown), stoppable)
      if (isOtherSession && session.isBusy()) {
        await next.close()
        session.say('trouble', 'Something was started meanwhile, so the session was not changed.')
        return false
      }
      state.session = next
      if (isOtherSession) await session.close()
    } catch (thrown) {
      if (!isOtherSession) state.session = await openSession(opening, { ...before, isOurs: true }, stoppable)
      state.session.say('trouble', explainThrown(thrown))
      return false
    } finally {
      clearTimeout(slow)
      if (state.hint === SLOW) state.hint = null
      state.stopWaiting = null
    }
    if (change.preset !== undefined) state.session.notePreset()
    state.expanded = { opened: new Map(), selected: null }
    hooks.onChange()
    return isOtherSession
  }

  return { reopenSession, settling: () => settling }
}

/** What to open: another session has its own model and preset, unless the command line gave one; a new one has ours. */
function nextRequest(
  before: AppSessionRequest,
  { session, preset, ...model }: Reopening,
  opening: AppOpening,
  isKnown: boolean,
): WantedSession {
  const own = preset === undefined ? before.preset : preset
  if (session === null || (session !== undefined && session !== before.session && !isKnown))
    return { ...before, ...model, session, preset: own }
  if (session === undefined || session === before.session)
    return { ...before, ...model, preset: own, isOurs: true }
  return { session, preset: preset ?? opening.preset, model: opening.model ?? LATEST }
}
