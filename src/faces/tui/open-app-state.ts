import type { ApprovalRequest, Approver, Asking } from '../../core/approval.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { tellOnTerminal } from '../../terminal/wait-notice.ts'
import type { AppState } from './app-state.ts'
import { openDesk } from './desk.ts'
import type { Desk, DeskHooks } from './desk.ts'
import type { Askers } from './sheets/askers.ts'
import { tellOnScreen } from './tell-waiting.ts'

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
  const approve = opening.isAgreeing ? agree : person
  const place = { write: (text: string) => void process.stderr.write(text), canRewrite: !isPlain() }
  const state: AppState = {
    // There is no screen yet to say on that another process has the session.
    desk: await openFirst(opening, { approve, onChange, onBusy: tellOnTerminal(place) }),
    looks: { opened: new Set(), selected: null },
    isShowingTasks: false,
    tasks: [],
    sandbox: null,
    hint: null,
    stopWaiting: null,
    queue: [],
    isUndecided: false,
    isQuitting: false,
  }
  const onBusy = isPlain() ? tellOnTerminal(place) : tellOnScreen(state, onChange)
  return { state, hooks: { approve, onChange, onBusy } }
}

function isPlain(): boolean {
  return process.env['TERM'] === 'dumb'
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
