import type { Approver } from '../../core/approval.ts'
import type { OnBusy } from '../../core/busy-session.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { AppSession } from './app-session.ts'
import type { AppSessionRequest } from './app-session.ts'

/** Callbacks of an open session. */
export interface AppSessionHooks {
  readonly onChange: () => void
  readonly approve: Approver
  /** Called if another process is using the session. */
  readonly onBusy?: OnBusy
}

/** Opens a session of a root, with a model if possible. */
export async function openSession(
  opening: AppOpening,
  request: AppSessionRequest,
  hooks: AppSessionHooks,
): Promise<AppSession> {
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
    // Prepared ahead, so that the first command starts quickly; if that fails, the command reports it.
    void runtime.warm().catch(() => undefined)
    const source = await runtime.converse(request.session)
    const session = new AppSession({ runtime, opening, request, source, onChange: hooks.onChange })
    await session.openFirstModel()
    return session
  } catch (thrown) {
    await runtime.close()
    throw thrown
  }
}
