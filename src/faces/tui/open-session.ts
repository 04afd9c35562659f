import { requireContinued } from '../../agent/sessions/find-continued.ts'
import type { Approver } from '../../core/approval.ts'
import type { OnBusy } from '../../core/busy-session.ts'
import { userFolder } from '../../host/fs/folders.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { Runtime } from '../../runtime/create-runtime.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { AppSession } from './app-session.ts'
import type { AppSessionRequest } from './session-request.ts'

/** Callbacks of an open session. */
export interface AppSessionHooks {
  readonly onChange: () => void
  readonly approve: Approver
  /** Called if another process is using the session. */
  readonly onBusy?: OnBusy
  /** Stops a command that prints the key of its model; the session opens without the model. */
  readonly signal?: AbortSignal
}

/** A session to open. */
export interface WantedSession extends Omit<AppSessionRequest, 'session'> {
  /** Null begins a new one. */
  readonly session: string | null
  /** Set to find it as `--continue` does, if none is named. */
  readonly isContinuing?: boolean
  /** Set if this app had it until now, so that it waits for whoever took it meanwhile. */
  readonly isOurs?: boolean
}

/**
 * Opens a session of a root, with a model if possible. Without a preset it has the one that was chosen for it. Throws at
 * once if another process has it.
 */
export async function openSession(
  opening: AppOpening,
  wanted: WantedSession,
  hooks: AppSessionHooks,
): Promise<AppSession> {
  const { root, stateDir, actor } = opening
  const open = async (preset: string | null): Promise<Runtime> =>
    createRuntime({
      root,
      startFolder: process.cwd(),
      userFolder: userFolder(process.env),
      stateDir,
      loaded: await opening.load(preset),
      approve: hooks.approve,
      actor: { id: actor },
      ...(hooks.onBusy === undefined ? {} : { onBusy: hooks.onBusy }),
    })
  let runtime = await open(wanted.preset)
  try {
    const { isOurs = false, isContinuing = false, ...asked } = wanted
    const named = asked.session ?? (isContinuing ? await requireContinued(runtime) : null)
    const hasOwn = wanted.preset === null && !isOurs
    const chosen = hasOwn && named !== null ? runtime.goOnWith(named) : null
    const own = chosen?.preset ?? null
    if (own !== null) {
      await runtime.close()
      runtime = await open(own)
    }
    await runtime.ready()
    // Prepared ahead, so that the first command starts quickly; if that fails, the command reports it.
    void runtime.warm().catch(() => undefined)
    if (named !== null && !isOurs) await runtime.claim(named)
    const request: AppSessionRequest = {
      ...asked,
      session: named ?? (await runtime.begin()),
      preset: asked.preset ?? own,
      isFallback: chosen?.isFallback === true,
    }
    const source = await runtime.converse(request.session)
    const session = new AppSession({ runtime, opening, request, source, onChange: hooks.onChange })
    if (chosen !== null && chosen.doubt !== null) session.say('trouble', chosen.doubt)
    await session.openFirstModel(hooks.signal)
    return session
  } catch (thrown) {
    await runtime.close()
    throw thrown
  }
}
