import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Reconciled } from '../../src/core/tool.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import { chargeTool } from './reconcile-tool.ts'

const CHILD = new URL('reconcile-child.ts', import.meta.url).pathname

/** A process died while its call was outside; the next one asks the tool. */
async function afterCrash(answer: unknown) {
  const top = mkdtempSync(join(tmpdir(), 'reconcile-'))
  mkdirSync(join(top, 'root'))
  const child = spawnSync(process.execPath, [CHILD, top], { encoding: 'utf8' })
  expect([child.signal, child.stderr]).toEqual(['SIGKILL', ''])
  const asked: string[] = []
  const charge = chargeTool({
    run: () => {
      throw new Error('charged twice')
    },
    reconcile: (key) => {
      asked.push(key)
      return answer as Reconciled<{ readonly receipt: string }>
    },
  })
  const runtime = await createRuntime({
    root: join(top, 'root'),
    stateDir: join(top, 'state'),
    tools: [charge],
  })
  onTestFinished(() => runtime.close())
  const key = readFileSync(join(top, 'charged'), 'utf8')
  const settled = () => {
    const entries = [...runtime.log({ session: 's' })].map(({ entry }) => entry)
    const ended = entries.find(({ kind }) => kind === 'settled')
    const row = ended?.kind === 'settled' ? runtime.rowOf('s', ended.execution) : null
    return { result: row, states: runtime.audit({ session: 's' }) }
  }
  return { runtime, asked, key, settled }
}

describe('a tool that knows how a call ended', () => {
  it('gives the call that finished its result, instead of calling it not started', async () => {
    const { runtime, asked, key, settled } = await afterCrash({ is: 'finished', output: { receipt: 'r-7' } })
    const [batch] = await runtime.recover({ session: 's', choice: 'resume' })
    expect(batch?.calls).toMatchObject([{ status: 'finished' }])
    expect(asked).toEqual([key])
    const { result, states } = settled()
    expect(result).toMatchObject({ ok: true, result: { receipt: 'r-7' }, execution: { state: 'COMPLETED' } })
    expect(result?.content).toContain('r-7')
    expect([...states].at(-1)).toMatchObject({ state: 'COMPLETED', outputHash: expect.any(String) as string })
    expect(await runtime.recover({ session: 's' })).toEqual([])
    expect((await runtime.verify()).ok).toBe(true)
  })

  it('keeps the state of what finished also if its result is discarded', async () => {
    const { runtime, settled } = await afterCrash({ is: 'finished', output: { receipt: 'r-7' } })
    await runtime.recover({ session: 's', choice: 'discard' })
    const { result } = settled()
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'discarded' },
      execution: { state: 'COMPLETED' },
    })
  })

  it.each([
    ['what is no result of it', { is: 'finished', output: { receipt: 7 } }],
    ['no result', { is: 'finished' }],
    ['that it does not know', { is: 'unknown' }],
  ])('leaves the call in doubt if the answer is %s', async (_what, answer) => {
    const { runtime, settled } = await afterCrash(answer)
    await runtime.recover({ session: 's', choice: 'resume' })
    const { result } = settled()
    expect(result).toMatchObject({ ok: false, error: { code: 'in_doubt' }, execution: { state: 'ABORTED' } })
  })

  it('may say that the call never began, so that it can be requested again', async () => {
    const { runtime, settled } = await afterCrash({ is: 'never_began' })
    await runtime.recover({ session: 's', choice: 'resume' })
    expect(settled().result).toMatchObject({ ok: false, error: { code: 'not_started' } })
  })
})
