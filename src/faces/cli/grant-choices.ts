import type { ApprovalAnswer, ApprovalRequest } from '../../core/approval.ts'
import { redactForApproval } from '../../core/text/redact.ts'
import { sanitise } from '../../core/text/sanitise.ts'
import type { Canvas } from '../../terminal/approval-screen.ts'
import { breakWords, layChoices } from '../../terminal/fit-rows.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

const NARROWEST = 20

/** A duration as one says it. */
export function describeSeconds(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds % size === 0) ?? ['second', 1]
  const count = seconds / length
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`
}

/** What may be allowed beyond this once, each with its sentence behind a bar and the keys that choose it. */
export function drawScopes(
  { scopes }: ApprovalRequest,
  grantSeconds: number,
  { columns, colour }: Canvas,
): readonly string[] {
  if (scopes.length === 0) return []
  const width = Math.max(NARROWEST, columns) - 1
  const keys = (letter: string): string =>
    scopes.length === 1 ? `${letter}1` : `${letter}1…${letter}${scopes.length}`
  const ways = [
    `${keys('t')} = yes, for ${describeSeconds(grantSeconds)}`,
    `${keys('g')} = yes, until you revoke it:`,
  ]
  const rows = scopes.flatMap(({ sentence }, index) => {
    const number = String(index + 1).padStart(3)
    const shown = sanitise(redactForApproval(sentence), { oneLine: true, showSequences: true })
    return breakWords(shown, width - number.length - 3).map((row, at) =>
      at === 0 ? `${number} ${colour('dim', '│')} ${row}` : `    ${colour('dim', '┊')} ${row}`,
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
