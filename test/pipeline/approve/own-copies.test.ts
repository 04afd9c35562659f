import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAnswer } from '../../../src/core/approval.ts'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import { polluted } from '../../harness/polluted.ts'

/** Answers after changing everything that it was handed. */
function meddler(requests: readonly ApprovalRequest[]): readonly 'once'[] {
  return requests.map(({ call }) => {
    Object.assign(call.args, { path: 'other.txt', content: 'other' })
    return 'once'
  })
}

describe('the arguments of a call', () => {
  it('are those that were asked about, whatever an approver does to its question', async () => {
    const b = bench()
    const runtime = await b.open({ approve: meddler })
    const [row] = await runtime.run([{ id: '1', name: 'write_file', args: { path: 'a.txt', content: 'a' } }])
    await runtime.close()
    expect(row).toMatchObject({ ok: true, result: { path: 'a.txt' } })
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('a')
    expect(existsSync(join(b.root, 'other.txt'))).toBe(false)
  })

  it('are those on record, even if the caller changes its object while a question is open', async () => {
    const b = bench()
    const args = { path: 'a.txt', content: 'a' }
    const runtime = await b.open({
      approve: (requests: readonly unknown[]) => {
        args.path = 'other.txt'
        return requests.map(() => 'once' as const)
      },
    })
    const [row] = await runtime.run([{ id: '1', name: 'write_file', args }])
    await runtime.close()
    expect(row).toMatchObject({ ok: true, result: { path: 'a.txt' } })
    expect(existsSync(join(b.root, 'other.txt'))).toBe(false)
  })
})

describe('the answer of an approver', () => {
  const inherited = (answer: object): unknown => Object.create(answer)
  const holed = (length: number): unknown =>
    Object.setPrototypeOf(Array(length), Object.assign(Object.create(Array.prototype), ['once']))

  it.each<[string, () => unknown]>([
    ['an answer that its prototype gives', () => [inherited({ answer: 'once' })]],
    ['a grant that its prototype gives', () => [inherited({ answer: 'scope', scope: { kind: 'tool' } })]],
    ['a scope that its prototype gives', () => [{ answer: 'scope', scope: inherited({ kind: 'tool' }) }]],
    ['hunks that its prototype gives', () => [{ answer: 'once', hunks: holed(1) }]],
    ['a list whose prototype has the answer', () => holed(1)],
  ])('does not count if it is inherited: %s', async (_what, answers) => {
    const b = bench()
    const runtime = await b.open({ approve: () => answers() as never })
    const [row] = await runtime.run([{ id: '1', name: 'write_file', args: { path: 'a.txt', content: 'a' } }])
    expect(errorOf(row).code).toBe('approval_denied')
    expect(existsSync(join(b.root, 'a.txt'))).toBe(false)
  })

  it('does not count if every object inherits it', () => {
    const answers = [{}, { answer: 'scope', scope: {} }, { answer: 'duration', seconds: 1, scope: {} }]
    const read = polluted({ answer: 'once', kind: 'tool' }, () => answers.map((one) => readAnswer(one)))
    expect(read.map(({ isApproved, refusal }) => ({ isApproved, refusal }))).toEqual(
      answers.map(() => ({ isApproved: false, refusal: 'unclear' })),
    )
  })
})
