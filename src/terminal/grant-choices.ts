import type { ApprovalAnswer, ApprovalRequest } from '../core/approval.ts'
import { globOf } from '../core/grant.ts'
import type { GrantScope } from '../core/grant.ts'
import { widthOf } from './approval-screen.ts'
import { oneLine } from './one-line.ts'
import type { Surface } from './approval-screen.ts'
import { breakWords, layChoices } from './fit-rows.ts'

/** The scopes that may be granted, each with its sentence behind a bar and the keys that choose it. */
export function drawScopes(
  { scopes, kind }: ApprovalRequest,
  grantSeconds: number,
  surface: Surface,
): readonly string[] {
  if (scopes.length === 0) return []
  const width = widthOf(surface)
  const keys = (letter: string): string =>
    scopes.length === 1 ? `${letter}1` : `${letter}1…${letter}${scopes.length}`
  const yes = kind === 'landing' ? 'land it, and ask no more' : 'yes,'
  const ways = [
    `${keys('t')} = ${yes} for ${describeSeconds(grantSeconds)}`,
    `${keys('g')} = ${yes} until you revoke it:`,
  ]
  const rows = scopes.flatMap(({ scope, sentence }, index) => {
    const number = String(index + 1).padStart(3)
    return breakWords(oneLine(sentence, globOf(scope)), width - number.length - 3).map((row, at) =>
      at === 0 ? `${number} ${surface.paint('dim', '│')} ${row}` : `    ${surface.paint('dim', '┊')} ${row}`,
    )
  })
  return [...layChoices(ways, width).flatMap((row) => breakWords(row, width)), ...rows]
}

/** The grant that a typed line asks for; null if it asks for none. */
export function readGrantAnswer(
  line: string,
  { scopes }: ApprovalRequest,
  grantSeconds: number,
): ApprovalAnswer | null {
  const [, typed, number] = /^([gt])\s*(\d{1,3})$/i.exec(line.trim()) ?? []
  const letter = typed?.toLowerCase()
  const scope = scopes[Number(number) - 1]?.scope
  if (scope === undefined) return null
  if (letter === 'g') return { answer: 'scope', scope }
  return letter === 't' ? { answer: 'duration', seconds: grantSeconds, scope } : null
}

/** What a yes for a time covers: all calls of the tool, as far as the question offers that; null if it does not. */
export function scopeForTime({
  scopes,
  passing,
}: Pick<ApprovalRequest, 'scopes' | 'passing'>): GrantScope | null {
  return passing?.scope ?? scopes.find(({ scope }) => scope.kind === 'tool')?.scope ?? null
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A duration in words. */
export function describeSeconds(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds % size === 0) ?? ['second', 1]
  const count = seconds / length
  return count === 1 ? `one ${unit}` : `${count} ${unit}s`
}
