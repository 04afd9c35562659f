import type { ApprovalAnswers, ApprovalRequest } from '../../../core/approval.ts'
import type { Recovery } from '../../../agent/conversation.ts'
import type { RecoveryChoice } from '../../../pipeline/after/recover.ts'
import { ANSWERING_KEYS, ANSWERING_LINE, OTHER_KEYS, pressApproval } from './approval-sheet.ts'
import { hasTyped, isTyping, openApprovalSheet } from './approval-state.ts'
import { drawApproval } from './draw-approval.ts'
import { askOnceRead } from './read-sheet.ts'
import { layRecovery, layRecoveryKeys } from './recovery-sheet.ts'
import type { AskingHere, Confirmation, Dialogs } from './dialogs.ts'
import { createSetupSheets } from './setup-sheets.ts'
import type { SheetStack } from './sheet.ts'
import { plain, plainLine, wrap } from '../draw/canvas.ts'
import { breakRows } from '../../../terminal/fit-rows.ts'

/** Dialogs as sheets. */
export function createSheetDialogs(stack: SheetStack): Dialogs {
  return {
    approval: (...question) => askApproval(stack, ...question),
    setup: createSetupSheets(stack),
    confirmation: (question) => askConfirmation(stack, question),
    recovery: (found) => askRecovery(stack, found),
  }
}

/** Asks about a batch; `cancel` is called if the user cancels all of it. */
function askApproval(
  stack: SheetStack,
  requests: readonly ApprovalRequest[],
  asking: AskingHere,
  cancel: () => void,
): Promise<ApprovalAnswers> {
  const silenceAt = asking.seconds === undefined ? null : Date.now() + asking.seconds * 1000
  let sheet = openApprovalSheet(requests, asking.grantSeconds, silenceAt)
  const { promise, resolve } = Promise.withResolvers<ApprovalAnswers>()
  const close = stack.open({
    draw(canvas, height, acceptsKeys) {
      const drawn = drawApproval(sheet, canvas, height, acceptsKeys)
      sheet = drawn.sheet
      return drawn.rows
    },
    press(key, text) {
      if (key === 'escape' && !hasTyped(sheet)) {
        cancel()
        return
      }
      const after = pressApproval(sheet, key, text)
      if (after.is === 'open') sheet = after.sheet
      else resolve(after.answers)
    },
    ...(requests.length === 1
      ? { deciding: ANSWERING_KEYS, harmless: OTHER_KEYS }
      : { deciding: ANSWERING_LINE, harmless: 'all' as const }),
    takesText: () => isTyping(sheet),
    calls: new Set(requests.map(({ execution }) => execution)),
  })
  // The caller has stopped waiting, so the answer does not matter.
  const onEnd = (): void => resolve('later')
  asking.signal.addEventListener('abort', onEnd, { once: true })
  return promise.finally(() => {
    asking.signal.removeEventListener('abort', onEnd)
    close()
  })
}

/** Asks a yes-or-no question. Enter means nothing, because it may have been pressed before the sheet appeared. */
function askConfirmation(stack: SheetStack, { title, rows }: Confirmation): Promise<boolean> {
  return askOnceRead(stack, {
    lay: ({ columns, paint }) => [
      ...wrap(` ${plainLine(title)} `, columns).map((row) => paint('inverse', row)),
      ...rows.flatMap((row) => layRow(plain(row), columns)),
    ],
    layKeys: ({ paint }) => [paint('dim', ' y yes · n no')],
    decides: new Map([['y', true]]),
    leaves: new Map([
      ['n', false],
      ['escape', false],
    ]),
  })
}

/** Asks what to do about an interruption; null leaves it. */
function askRecovery(stack: SheetStack, found: Recovery): Promise<RecoveryChoice | null> {
  return askOnceRead<RecoveryChoice | null>(stack, {
    lay: (canvas) => layRecovery(found, canvas),
    layKeys: (canvas) => layRecoveryKeys(found, canvas),
    decides: new Map([
      ['r', 'resume'],
      ['d', 'discard'],
    ]),
    leaves: new Map([['escape', null]]),
  })
}

/** Wraps a row; of a diff, what goes on stays behind a bar. */
function layRow(row: string, columns: number): readonly string[] {
  if (!row.startsWith(BAR)) return wrap(row, columns, MARGIN)
  const room = columns - MARGIN.length - BAR.length
  return breakRows(row.slice(BAR.length), room).map((part, at) => MARGIN + (at === 0 ? BAR : '┊ ') + part)
}

const MARGIN = '   '
const BAR = '│ '
