import { ERRORS, toolError } from '../../core/error.ts'
import type { ErrorCode } from '../../core/error.ts'
import type { Run } from '../engine.ts'
import type { Step } from '../step.ts'
import { refuse } from '../step.ts'

/** Settles a call that must no longer start; the reason of the signal says why. */
export function skipCall(step: Step, { reason }: AbortSignal): Step {
  const why = typeof reason === 'string' ? reason : 'new instructions arrived before this call started'
  const recovery = ['Request it again if it is still needed.']
  return refuse(step, toolError('skipped', `Skipped: ${why}.`, {}, recovery), 'turn')
}

const STOPPED = toolError(
  'skipped',
  'Skipped: an earlier call in this batch failed, and tools.on_execution_error is stop.',
)

/** Settles a call that comes after a failed one in a batch that stops there. */
export function stopCall(step: Step): Step {
  return refuse(step, STOPPED, 'earlier calls')
}

const REFUSED_EDIT_CODES: ReadonlySet<string> = new Set(['stale_file', 'patch_failed', 'bad_args'])

/** What has happened already, or waits for a person. */
const NO_DENIALS: ReadonlySet<string> = new Set(['deduplicated', 'held', 'approval_required'])

/** Whether an edit was refused, so that what follows it would run on files that are not as the caller believes. */
export function isRefusal(code: ErrorCode): boolean {
  const isDenial = ERRORS[code].class === 'AuthorizationError' && !NO_DENIALS.has(code)
  return isDenial || REFUSED_EDIT_CODES.has(code)
}

/** Settles a call that would start a process after an edit of the same message was refused. */
export function skipCommand(step: Step, refused: string): Step {
  const why = `Skipped: ${refused} of the same message was refused, so this command would run on files that are not as you meant them. Only commands are skipped: the other edits of the message have results of their own.`
  const recovery = [
    'Send the refused edit again, put right and without those that were made, then the command.',
  ]
  return refuse(step, toolError('skipped', why, { after: refused }, recovery), 'earlier calls')
}

/** Whether a call starts a process. */
export function startsProcess({ facts, tool }: Step): boolean {
  return (facts.tool?.effect ?? tool?.effect) === 'spawn'
}

/** Skips the commands after an edit that will not happen, so that no one is asked about them. */
export function skipCommandsAfterRefused(steps: readonly Step[], { engine }: Run): readonly Step[] {
  if (engine.settings['tools.on_refused_edit'] !== 'skip_commands') return steps
  let refused: string | null = null
  return steps.map((step) => {
    const { verdict, error } = step.judgement
    if (verdict === 'settle' && step.tool?.effect === 'edit' && error !== null)
      refused ??= isRefusal(error.code) ? step.call.name : null
    return refused !== null && verdict !== 'settle' && startsProcess(step) ? skipCommand(step, refused) : step
  })
}

/** Settles the calls after the first settled one if the configuration says to stop there. */
export function skipAfterSettled(steps: readonly Step[], { engine }: Run): readonly Step[] {
  if (engine.settings['tools.on_execution_error'] !== 'stop') return steps
  const first = steps.findIndex(({ judgement }) => judgement.verdict === 'settle')
  return first < 0 ? steps : steps.map((step, index) => (index > first ? stopCall(step) : step))
}

/** Skips calls before approval, so that the approver is not asked about calls that will not start. */
export function skipOvertaken(steps: readonly Step[], { skip }: Run): readonly Step[] {
  if (!skip.aborted) return steps
  return steps.map((step) => (step.judgement.verdict === 'settle' ? step : skipCall(step, skip)))
}
