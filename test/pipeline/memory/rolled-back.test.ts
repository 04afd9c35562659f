import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/core/registry.ts'
import type { Entry, SettledEntry } from '../../../src/journal/entries/entry.ts'
import { openMemoryStore } from '../../../src/journal/store/memory-store.ts'
import { finish } from '../../../src/pipeline/memory/finish-steps.ts'
import { SessionMemory } from '../../../src/pipeline/memory/session-memory.ts'
import { hasRun, hasSurelySucceeded } from '../../../src/policy/rules/rule-state.ts'
import { bookOf } from '../../policy/rules/rule-bench.ts'

const settled = (execution: string): SettledEntry => ({
  kind: 'settled',
  batch: 'b',
  turn: 't',
  execution,
  name: 'write_file',
  version: '1.0.0',
  effect: 'edit',
  moves: [{ state: 'EXECUTING', at: 1 }],
  error: null,
  result: 'r',
  output: null,
  capabilities: [],
  changes: [],
  gates: [],
  durationMs: 1,
})

const batch = (...executions: readonly string[]): Entry => ({
  kind: 'batch',
  batch: 'b',
  turn: 't',
  pass: 'p',
  origin: 'model',
  actor: null,
  calls: executions.map((execution) => ({ execution, id: execution, name: 'write_file', args: execution })),
})

const rolledBack = (execution: string): Entry => ({
  kind: 'undo',
  execution: `back of ${execution}`,
  calls: [execution],
  changes: [],
  actor: null,
  rollsBack: { execution, because: 'obstacle', why: 'in the way', result: null },
})

/** The history after these entries, read at once or as they come. */
async function memoryOf(entries: readonly Entry[], how: 'at once' | 'as they come') {
  const log = await openMemoryStore({ now: () => 5, elapsed: () => 5 }).open({ root: '/r', name: 's' })
  const book = bookOf([{ tool: 'a', type: 'RequiresPrecedingTools', tools: ['write_file'] }])
  const open = () => {
    const memory = new SessionMemory(log, { book, registry: createRegistry([]), timeOf: () => 0, now: 5 })
    finish(memory.read(null))
    return memory
  }
  const early = open()
  for (const entry of entries) {
    log.append({ entries: [entry], reliance: 'recorded' })
    early.catchUp()
  }
  return (how === 'at once' ? open() : early).state
}

describe.each(['at once', 'as they come'] as const)('a call rolled back after its commit, read %s', (how) => {
  it('counts as failed in its pass', async () => {
    const state = await memoryOf([batch('1'), settled('1'), rolledBack('1')], how)
    expect(hasSurelySucceeded(state, 'write_file')).toBe(false)
    expect(hasRun(state, 'write_file', '')).toBe(true)
  })

  it('does not take away the success of another call of its tool, or of the same one twice', async () => {
    const entries = [batch('1', '2'), settled('1'), settled('2'), rolledBack('1')]
    expect(hasSurelySucceeded(await memoryOf(entries, how), 'write_file')).toBe(true)
    const all = await memoryOf([...entries, rolledBack('2')], how)
    expect(hasSurelySucceeded(all, 'write_file')).toBe(false)
  })

  it('an undo by a person leaves its pass alone', async () => {
    const { rollsBack: _rollsBack, ...undo } = rolledBack('1') as Extract<Entry, { kind: 'undo' | 'redo' }>
    const state = await memoryOf([batch('1'), settled('1'), undo], how)
    expect(hasSurelySucceeded(state, 'write_file')).toBe(true)
  })
})
