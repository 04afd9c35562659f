import type { ApprovalAnswer, ApprovalRequest } from '../../core/approval.ts'
import { oneLine, widthOf } from '../../terminal/approval-screen.ts'
import type { Surface } from '../../terminal/approval-screen.ts'
import { describeSeconds } from '../../terminal/describe-seconds.ts'
import { breakWords, layChoices } from '../../terminal/fit-rows.ts'

/** What may be allowed beyond this once, each with its sentence behind a bar and the keys that choose it. */
export function drawScopes(
  { scopes }: ApprovalRequest,
  grantSeconds: number,
  surface: Surface,
): readonly string[] {
  if (scopes.length === 0) return []
  const width = widthOf(surface)
  const keys = (letter: string): string =>
    scopes.length === 1 ? `${letter}1` : `${letter}1…${letter}${scopes.length}`
  const ways = [
    `${keys('t')} = yes, for ${describeSeconds(grantSeconds)}`,
    `${keys('g')} = yes, until you revoke it:`,
  ]
  const rows = scopes.flatMap(({ sentence }, index) => {
    const number = String(index + 1).padStart(3)
    return breakWords(oneLine(sentence), width - number.length - 3).map((row, at) =>
      at === 0 ? `${number} ${surface.paint('dim', '│')} ${row}` : `    ${surface.paint('dim', '┊')} ${row}`,
    )
  })
  return [...layChoices(ways, width).flatMap((row) => breakWords(row, width)), ...rows]
}

/** What a typed line allows beyond this once; null where it says nothing about that. */
export function readGrantAnswer(
  line: string,
  { scopes }: ApprovalRequest,
  grantSeconds: number,
): ApprovalAnswer | null {
  const [, letter, number] = /^([gt])\s*(\d{1,3})$/i.exec(line.trim()) ?? []
  const scope = scopes[Number(number) - 1]?.scope
  if (letter === undefined || scope === undefined) return null
  return letter.toLowerCase() === 'g'
    ? { answer: 'scope', scope }
    : { answer: 'duration', seconds: grantSeconds, scope }
}
