import { describe, expect, it } from 'vitest'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { bench, errorOf } from '../../bench-folder.ts'

const LOOK = ['sh', '-c', 'stat -c %a f; cat f']
const ADD = ['sh', '-c', 'echo line >>log']

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
  it('is refused if it changed something and nothing ran in between', async () => {
    expect(await inTurn(await open(), ADD, ADD, ADD)).toEqual(['ok', 'deduplicated', 'deduplicated'])
  })

  it('runs if it changed nothing, because a person may have changed what it looks at', async () => {
    const b = bench({ f: 'broken\n' })
    const runtime = await b.open({ approve: (requests) => requests.map(() => 'once' as const) })
    const look = async (): Promise<string> => {
      const [result] = await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['cat', 'f'] } }])
      return result?.ok === true ? String(result.result['stdout']) : (result?.error.code ?? 'no result')
    }
    expect(await look()).toBe('broken\n')
    b.put('f', 'mended\n')
    expect(await look()).toBe('mended\n')
  })

  it('is refused even then if a rule says so', async () => {
    const config = { 'tools.rules': [{ tool: 'run_shell', type: 'AlwaysDedupe' }] }
    expect(await inTurn(await bench({ f: 'content\n' }).open({ config }), LOOK, LOOK)).toEqual([
      'ok',
      'deduplicated',
    ])
  })

  it('is refused without a layer, where nobody knows what it changed', async () => {
    const config = { 'tools.shell.layer': 'off' }
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const runtime = await bench({ f: 'content\n' }).open({ config, approve })
    const [, again] = [
      await runtime.run([{ id: 'a', name: 'run_shell', args: { cmd: LOOK } }]),
      await runtime.run([{ id: 'b', name: 'run_shell', args: { cmd: LOOK } }]),
    ]
    expect(errorOf(again[0])).toMatchObject({
      code: 'deduplicated',
      message: expect.stringContaining('this session knows of no change'),
    })
  })

  it.each([
    ['changed something', {}, 'echo line >>log; exit 1'],
    ['ran without a layer', { 'tools.shell.layer': 'off' }, 'exit 1'],
    ['ended itself by a signal', { 'tools.shell.layer': 'off' }, 'kill -9 $$'],
  ] as const)('may be tried again if it %s and failed', async (_what, config, line) => {
    const approve = (requests: readonly unknown[]) => requests.map(() => 'once' as const)
    const runtime = await bench({ f: 'content\n' }).open({ config, approve })
    expect(await inTurn(runtime, ['sh', '-c', line], ['sh', '-c', line])).toEqual(['ok', 'ok'])
  })

  it.each([
    ['the mode of a file', ['chmod', '+x', 'f']],
    ['the content of a file', ['sh', '-c', 'echo more >>f']],
    ['a file, and failed', ['sh', '-c', 'chmod 600 f; exit 1']],
  ])('runs if another command changed %s', async (_what, change) => {
    expect(await inTurn(await open(), ADD, change, ADD, ADD)).toEqual(['ok', 'ok', 'ok', 'deduplicated'])
  })

  it('is refused if what came in between was not run', async () => {
    const runtime = await open()
    expect(await inTurn(runtime, ADD)).toEqual(['ok'])
    await runtime.run([{ id: 'dry', name: 'run_shell', args: { cmd: ['chmod', '+x', 'f'] } }], {
      dryRun: true,
    })
    await runtime.run([{ id: 'read', name: 'read_file', args: { path: 'f' } }])
    expect(await inTurn(runtime, ADD)).toEqual(['deduplicated'])
  })
})
