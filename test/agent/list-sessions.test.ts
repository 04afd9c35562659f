import { StatementSync } from 'node:sqlite'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listSessions } from '../../src/agent/sessions/list-sessions.ts'
import { createRuntime, defineTool, schema } from '../../src/index.ts'
import { makeScratch } from '../harness/scratch.ts'

const trivial = defineTool({
  name: 'trivial',
  version: '1.0.0',
  description: 'Does nothing',
  effect: 'read',
  input: schema.object({}, 'Nothing'),
  output: schema.object({}, 'Nothing'),
  run: () => ({}),
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a list of sessions', () => {
  it('asks the database as often for many as for few, if nothing was said in them', async () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    const runtime = await createRuntime({ root, stateDir: scratch.at('state'), tools: [trivial] })
    const add = async (names: readonly string[]): Promise<void> => {
      for (const session of names) await runtime.run([{ id: '1', name: 'trivial', args: {} }], { session })
    }
    const asked = [
      vi.spyOn(StatementSync.prototype, 'all'),
      vi.spyOn(StatementSync.prototype, 'get'),
      vi.spyOn(StatementSync.prototype, 'iterate'),
    ]
    const listed = async (): Promise<{ readonly names: readonly string[]; readonly questions: number }> => {
      // Brings the tables up to date.
      runtime.counts()
      for (const spy of asked) spy.mockClear()
      const sessions = await listSessions(runtime)
      const questions = asked.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
      return { names: sessions.map(({ name }) => name), questions }
    }
    await add(['a', 'b'])
    const few = await listed()
    await add(['c', 'd', 'e', 'f', 'g', 'h'])
    const many = await listed()
    expect(few.names).toEqual(['b', 'a'])
    expect(many.names).toHaveLength(8)
    expect(many.questions).toBe(few.questions)
    await runtime.close()
  })
})
