import { USUAL_SESSION } from '../../config/fixed-values.ts'
import { agreeOnce } from '../../core/approval.ts'
import type { ApprovalRequest, Approver, Asking } from '../../core/approval.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { tellOnTerminal } from '../../terminal/wait-notice.ts'
import { freshState } from './app-state.ts'
import type { AppState } from './app-state.ts'
import { openDesk } from './desk.ts'
import type { Desk, DeskHooks } from './desk.ts'
import type { Askers } from './sheets/askers.ts'
import { tellOnScreen } from './tell-waiting.ts'

/** Opens the session that was asked for, and everything the app knows beside it. */
export async function openAppState(
  opening: AppOpening,
  ask: Askers,
  onChange: () => void,
): Promise<{ readonly state: AppState; readonly hooks: DeskHooks }> {
  const person: Approver = Object.assign(
    async (requests: readonly ApprovalRequest[], asking: Asking) => {
      state.desk.catchUp()
      const answers = await ask.approval(requests, asking, () => state.desk.cancel())
      const isPutOff = answers === 'later' && !asking.signal.aborted
      if (isPutOff) state.desk.say('plain', 'Put off until later: /pending asks again.')
      return answers
    },
    { isAttended: true },
  )
  const approve = opening.isAgreeing ? agreeOnce : person
  const place = { write: (text: string) => void process.stderr.write(text), canRewrite: !isPlain() }
  // There is no screen yet to say on that another process has the session.
  const state = freshState(await openFirst(opening, { approve, onChange, onBusy: tellOnTerminal(place) }))
  const onBusy = isPlain() ? tellOnTerminal(place) : tellOnScreen(state, onChange)
  return { state, hooks: { approve, onChange, onBusy } }
}

function isPlain(): boolean {
  return process.env['TERM'] === 'dumb'
}

async function openFirst(opening: AppOpening, hooks: DeskHooks): Promise<Desk> {
  const { session, preset, model, isContinuing } = opening
  const name = session ?? (isContinuing ? await findNewest(opening) : null) ?? USUAL_SESSION
  return openDesk(opening, { session: name, preset, model: model ?? (isContinuing ? 'latest' : null) }, hooks)
}

/** The session that was written to last, which only the journal knows; it may well be in use. */
async function findNewest({ root, stateDir, preset, load }: AppOpening): Promise<string | null> {
  const runtime = await createRuntime({ root, stateDir, loaded: await load(preset), periodic: false })
  try {
    return runtime.sessions()[0]?.name ?? null
  } finally {
    await runtime.close()
  }
}
