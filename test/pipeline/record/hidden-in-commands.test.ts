import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const SETTINGS = 'host = db\nDB_PASSWORD=hunter2222\n'
const cat = { id: 'c', name: 'run_shell', args: { cmd: ['cat', 'settings.ini'] } }

/** Says yes to commands, and of values in results that they are no secrets. */
const remembering: RuntimeOptions['approve'] = (requests: readonly ApprovalRequest[]) =>
  requests.map(({ about, scopes: [offered] }) =>
    about === 'result' && offered !== undefined
      ? { answer: 'scope' as const, scope: offered.scope }
      : ('once' as const),
  )

describe('secrets in what a command prints', () => {
  it.each(['person', 'model'] as const)(
    'are named in the result for a %s: where, what and how long',
    async (origin) => {
      const runtime = await bench({ 'settings.ini': SETTINGS }).open({
        approve: (requests) => requests.map(() => 'once' as const),
      })
      const [result] = await runtime.run([cat], { origin })
      expect(outputOf(result)).toMatchObject({ stdout: 'host = db\nDB_PASSWORD=[redacted]\n' })
      expect(result?.hidden).toEqual([
        { file: null, line: 2, kind: expect.any(String) as string, characters: 10 },
      ])
    },
  )

  it('are named if the command failed, too', async () => {
    const runtime = await bench({ 'settings.ini': SETTINGS }).open({
      config: { 'tools.run_command.enabled': true },
      approve: (requests) => requests.map(() => 'once' as const),
    })
    const args = { command: 'cat settings.ini >&2; exit 3' }
    const [result] = await runtime.run([{ id: 'c', name: 'run_command', args }])
    expect(errorOf(result).message).toContain('DB_PASSWORD=[redacted]')
    expect(result?.hidden).toMatchObject([{ line: 2, characters: 10 }])
  })

  it('are shown once a person said that they are none, also while the command runs', async () => {
    const b = bench({ 'settings.ini': SETTINGS })
    const config = { 'secrets.to_model': 'ask' }
    const runtime = await b.open({ approve: remembering, config })
    const reading = { id: 'r', name: 'read_file', args: { path: 'settings.ini' } }
    await runtime.run([reading], { origin: 'model' })
    const chunks: string[] = []
    const [result] = await runtime.run([cat], {
      origin: 'model',
      onEvent: (event) => void (event.event === 'output' && chunks.push(event.chunk)),
    })
    expect(outputOf(result)).toMatchObject({ stdout: SETTINGS })
    expect(chunks.join('')).toBe(SETTINGS)
    expect(result).not.toHaveProperty('hidden')
  })
})
