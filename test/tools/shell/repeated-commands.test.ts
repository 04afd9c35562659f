import { describe, expect, it } from 'vitest'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { bench } from '../../bench-folder.ts'

const LOOK = ['sh', '-c', 'stat -c %a f; cat f']

/** Runs commands one after the other, each in a batch of its own; gives what came of each. */
async function inTurn(runtime: Runtime, ...commands: readonly (readonly string[])[]) {
  const ends: string[] = []
  for (const cmd of commands) {
    const [result] = await runtime.run([
      { id: `c${ends.length}`, name: 'run_shell', args: { cmd: [...cmd] } },
    ])
    ends.push(result?.ok === true ? 'ok' : (result?.error.code ?? 'no result'))
  }
  return ends
}

const open = (): Promise<Runtime> =>
  bench({ f: 'content\n' }).open({ approve: (requests) => requests.map(() => 'once' as const) })

describe('a command that is repeated', () => {
  it('is refused if nothing ran in between', async () => {
    expect(await inTurn(await open(), LOOK, LOOK, LOOK)).toEqual(['ok', 'deduplicated', 'deduplicated'])
  })

  it.each([
    ['the mode of a file', ['chmod', '+x', 'f']],
    ['the content of a file', ['sh', '-c', 'echo more >>f']],
    ['a file, and failed', ['sh', '-c', 'chmod 600 f; exit 1']],
  ])('runs if another command changed %s', async (_what, change) => {
    expect(await inTurn(await open(), LOOK, change, LOOK, LOOK)).toEqual(['ok', 'ok', 'ok', 'deduplicated'])
  })

  it('is refused if what came in between was not run', async () => {
    const runtime = await open()
    expect(await inTurn(runtime, LOOK)).toEqual(['ok'])
    await runtime.run([{ id: 'dry', name: 'run_shell', args: { cmd: ['chmod', '+x', 'f'] } }], {
      dryRun: true,
    })
    await runtime.run([{ id: 'read', name: 'read_file', args: { path: 'f' } }])
    expect(await inTurn(runtime, LOOK)).toEqual(['deduplicated'])
  })
})
