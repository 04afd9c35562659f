import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { bench } from '../../bench-folder.ts'

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
