import type { ApprovalRequest, Approver, Asking } from '../../core/approval.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import type { AppState } from './app-state.ts'
import { openDesk } from './desk.ts'
import type { Desk, DeskHooks } from './desk.ts'
import type { Askers } from './sheets/askers.ts'

const USUAL_SESSION = 'cli'

const agree: Approver = (requests) => requests.map(() => 'once' as const)

/** Opens the session that was asked for, and everything the app knows beside it. */
export async function openAppState(
  opening: AppOpening,
  ask: Askers,
  onChange: () => void,
): Promise<{ readonly state: AppState; readonly hooks: DeskHooks }> {
  const person: Approver = Object.assign(
    (requests: readonly ApprovalRequest[], asking: Asking) => {
      state.desk.catchUp()
      return ask.approval(requests, asking, () => state.desk.cancel())
    },
    { isAttended: true },
  )
  const hooks = { approve: opening.isAgreeing ? agree : person, onChange }
  const state: AppState = {
    desk: await openFirst(opening, hooks),
    looks: { opened: new Set(), selected: null },
    isShowingTasks: false,
    tasks: [],
    sandbox: null,
    hint: null,
    queue: [],
    isUndecided: false,
    isQuitting: false,
  }
  return { state, hooks }
}

/** With `--continue` the newest session, which only the journal knows. */
async function openFirst(opening: AppOpening, hooks: DeskHooks): Promise<Desk> {
  const { session, preset, model, isContinuing } = opening
  const wish = {
    session: session ?? USUAL_SESSION,
    preset,
    model: model ?? (isContinuing ? 'latest' : null),
  }
  const desk = await openDesk(opening, wish, hooks)
  const newest = isContinuing && session === null ? desk.runtime.sessions()[0]?.name : undefined
  if (newest === undefined || newest === wish.session) return desk
  await desk.close()
  return openDesk(opening, { ...wish, session: newest }, hooks)
}
