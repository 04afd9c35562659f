import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { digest } from '../../../src/host/system/hash.ts'
import { bindingOf } from '../../../src/pipeline/approve/agreement.ts'
import type { DrawnQuestion } from '../../../src/pipeline/approve/draw-question.ts'

/** A question with everything that one can show; the compiler asks for a field that is missing. */
const FULL: Required<Omit<ApprovalRequest, 'damaged'>> = {
  id: 'q1',
  kind: 'landing',
  changes: [{ path: 'a', change: 'created' }],
  changes_total: 2,
  size: 3,
  session: 's',
  call: { id: 'c1', name: 'run_shell', args: { cmd: ['true'] } },
  names: ['ghp_a'],
  cwd: 'sub',
  execution: 'e1',
  delegate: { execution: 'e0', task: 'look around', role: 'reader' },
  about: 'run',
  summary: 'Run: true',
  risk: 'Low',
  danger: 'may remove files',
  diff: '+a\n',
  hunks: { lines: [0], together: [[1]] },
  asked_at: 1,
  expires_at: 2,
  why: 'approval mode is prompt',
  rung: 'sandboxed',
  layer: 'overlay',
  limits: 'cpu_seconds 7',
  scopes: [{ scope: { kind: 'tool' }, sentence: 'run_shell may run.' }],
  passing: { scope: { kind: 'tool' }, sentence: 'run_shell may run for a time.' },
  note: 'It would run: true',
}

const { id: _id, asked_at: _askedAt, expires_at: _expiresAt, ...DRAWN } = FULL
const bind = (question: DrawnQuestion, undrawn = {}): string => bindingOf(question, undrawn, { digest })

describe('what an approval is bound to', () => {
  it.each(Object.keys(DRAWN))('includes the %s of a question, whether it differs or is missing', (field) => {
    const other = { ...DRAWN, [field]: 'something else' } as DrawnQuestion
    const { [field as keyof DrawnQuestion]: _left, ...without } = DRAWN
    const bindings = [DRAWN, other, without as DrawnQuestion].map((question) => bind(question))
    expect(new Set(bindings).size).toBe(3)
  })

  it('includes a field that questions do not have yet', () => {
    const grown = { ...DRAWN, horizon: 'a field of a later version' } as DrawnQuestion
    expect(bind(grown)).not.toBe(bind(DRAWN))
  })

  it('includes what is not shown, and does not take it for what is', () => {
    expect(bind(DRAWN, { places: ['/a'] })).not.toBe(bind(DRAWN))
    expect(bind(DRAWN, { places: ['/a'] })).not.toBe(bind(DRAWN, { places: ['/b'] }))
    expect(bind({ ...DRAWN, places: ['/a'] } as DrawnQuestion)).not.toBe(bind(DRAWN, { places: ['/a'] }))
  })

  it('is the same for the same question, whatever the order of its fields', () => {
    const turned = Object.fromEntries(Object.entries(DRAWN).toReversed()) as unknown as DrawnQuestion
    expect(bind(turned)).toBe(bind(DRAWN))
  })
})
