import type { ApprovalAnswers, ApprovalRequest, Asking } from '../../../core/approval.ts'
import type { Recovery } from '../../../agent/conversation.ts'
import type { RecoveryChoice } from '../../../pipeline/recover.ts'
import { APPROVING_KEYS, openApprovalSheet, OTHER_KEYS, pressApproval } from './approval-sheet.ts'
import { drawApproval } from './draw-approval.ts'
import { drawConfirmation, readConfirmKey } from './confirm-sheet.ts'
import type { Confirmation } from './confirm-sheet.ts'
import { drawRecovery, readRecoveryKey } from './recovery-sheet.ts'
import type { SheetStack } from './sheet.ts'

/** A yes counts once no other letter has followed for so long. */
const LONE_MS = 200

/** Asks about a batch; `cancel` is told when the person wants none of it. */
export function askApproval(
  stack: SheetStack,
  requests: readonly ApprovalRequest[],
  asking: Pick<Asking, 'signal' | 'grantSeconds'>,
  cancel: () => void,
): Promise<ApprovalAnswers> {
  let sheet = openApprovalSheet(requests, asking.grantSeconds)
  let held: NodeJS.Timeout | undefined
  const { promise, resolve } = Promise.withResolvers<ApprovalAnswers>()
  const close = stack.open({
    draw(canvas, height, isListening) {
      const drawn = drawApproval(sheet, canvas, height, isListening)
      sheet = drawn.sheet
      return drawn.rows
    },
    press(key, text) {
      if (sheet.words !== null) take(key, text)
      else if (key === 'escape') cancel()
      else if (text !== '' && isTyping(key)) stack.deafen()
      else if (APPROVING_KEYS.has(key)) held = setTimeout(() => take(key, text), LONE_MS)
      else take(key, text)
    },
  })

  /** Somebody who types words has not seen the sheet: letters it does not know, or one right after a yes. */
  function isTyping(key: string): boolean {
    const hadYes = held !== undefined
    clearTimeout(held)
    held = undefined
    return hadYes || !(APPROVING_KEYS.has(key) || OTHER_KEYS.has(key))
  }

  function take(key: string, text: string): void {
    held = undefined
    const pressed = pressApproval(sheet, key, text)
    if (pressed.is === 'open') sheet = pressed.sheet
    else resolve(pressed.answers)
    stack.redraw()
  }

  // Whoever waits has stopped waiting; the answer does not matter any more.
  const onEnd = (): void => resolve('later')
  asking.signal.addEventListener('abort', onEnd, { once: true })
  return promise.finally(() => {
    clearTimeout(held)
    asking.signal.removeEventListener('abort', onEnd)
    close()
  })
}

/** Asks a question with yes and no. */
export function askConfirmation(stack: SheetStack, question: Confirmation): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const close = stack.open({
    draw: (...where) => drawConfirmation(question, ...where),
    press: (key) => {
      const answer = readConfirmKey(key)
      if (answer !== null) resolve(answer)
    },
  })
  return promise.finally(close)
}

/** Asks what to do with what an interruption left; null leaves it. */
export function askRecovery(stack: SheetStack, found: Recovery): Promise<RecoveryChoice | null> {
  const { promise, resolve } = Promise.withResolvers<RecoveryChoice | null>()
  const close = stack.open({
    draw: (...where) => drawRecovery(found, ...where),
    press: (key) => {
      const choice = readRecoveryKey(key)
      if (choice !== null || key === 'escape') resolve(choice)
    },
  })
  return promise.finally(close)
}
