import { findHunkFault } from '../core/approval.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../core/approval.ts'

const MOST = 100_000

/** A list of hunks such as `1,3-5` or `1 3 4`; null if it is not one. */
export function parseHunks(text: string): readonly number[] | null {
  const parts = text.trim().split(/\s*,\s*|\s+/)
  const hunks = new Set<number>()
  for (const part of parts) {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    if (from === undefined || Number(from) < 1 || Number(to) < Number(from) || Number(to) > MOST) return null
    for (let hunk = Number(from); hunk <= Number(to); hunk++) hunks.add(hunk)
  }
  return [...hunks].toSorted((one, other) => one - other)
}

/** How many hunks a person may choose from; 0 if there is no choice. */
export function choosableHunks({ hunks }: Pick<ApprovalRequest, 'hunks'>): number {
  const count = hunks?.lines.length ?? 0
  return count > 1 ? count : 0
}

/** The yes to a typed list of hunks, or what is wrong with the list. */
export function readHunkList(
  text: string,
  request: ApprovalRequest,
): { readonly ok: true; readonly answer: ApprovalAnswer } | { readonly ok: false; readonly why: string } {
  const hunks = parseHunks(text)
  if (hunks === null) return { ok: false, why: 'That is not a list of hunks, such as 1 3-5.' }
  const fault = findHunkFault(hunks, request, false)
  return fault === null
    ? { ok: true, answer: { answer: 'once', hunks } }
    : { ok: false, why: `That cannot be taken: ${fault}.` }
}
