import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { roundsOf } from '../../harness/long-run.ts'
import { editBench } from '../../tools/edits/edit-bench.ts'
import type { EditBench } from '../../tools/edits/edit-bench.ts'

const BODY = 'l1\nl2\nl3\nl4\n'
const path = fc.constantFrom('a.txt', 'b.txt', 'd/c.txt', 'new.txt')
const word = fc.constantFrom('l1', 'l2', 'l4', 'p2')
const line = fc.integer({ min: 1, max: 5 })

const someCall = fc.oneof(
  fc.record({ name: fc.constant('read_file'), args: fc.record({ path }) }),
  fc.record({ name: fc.constant('search'), args: fc.record({ query: word }) }),
  fc.tuple(path, word, word).map(([file, old, fresh]) => ({
    name: 'apply_patch',
    args: { patch: `LP1\nF ${file}\nR\n${old}\n.\n${fresh}z\n.\nEND\n` },
  })),
  fc.tuple(path, word).map(([file, text]) => ({ name: 'write_file', args: { path: file, content: text } })),
  fc.tuple(path, line, word).map(([file, at, text]) => ({
    name: 'edit_region',
    args: { path: file, start_line: at, end_line: at, new_content: text },
  })),
  fc
    .tuple(word, word)
    .map(([old, fresh]) => ({ name: 'replace', args: { old, new: `r${fresh}`, paths: ['.'] } })),
  fc.tuple(path, path).map(([from, to]) => ({ name: 'move_path', args: { from, to } })),
  path.map((file) => ({ name: 'delete_path', args: { path: file } })),
)
/** What a person does between two messages: nothing, or a change of a file. */
const someEdit = fc.option(fc.tuple(path, fc.option(word)))
const someTurn = fc.tuple(someEdit, fc.array(someCall, { minLength: 1, maxLength: 4 }))

describe('a person who agrees to everything', () => {
  it('gets what would have happened unasked', async () => {
    const law = fc.asyncProperty(fc.array(someTurn, { minLength: 1, maxLength: 4 }), async (turns) => {
      const [unasked, asked] = [await open('auto'), await open('prompt')]
      for (const turn of turns) expect(await play(turn, asked)).toEqual(await play(turn, unasked))
      await unasked.runtime.close()
      await asked.runtime.close()
    })
    await fc.assert(law, { numRuns: roundsOf(4, 300) })
  })

  it.each([
    [
      ['delete_path', { path: 'd/c.txt' }],
      ['replace', { old: 'l1', new: 'x', paths: ['.'] }],
    ],
    [
      ['search', { query: 'l2' }],
      ['edit_region', { path: 'a.txt', start_line: 2, end_line: 2, new_content: 'x' }],
    ],
  ] as const)('so after %j, %j is not refused for what it does not see yet', async (...calls) => {
    const { runtime } = await open('prompt')
    const results = await runtime.run(calls.map(([name, args], at) => ({ id: `c${at}`, name, args })))
    expect(results.map(({ ok }) => ok)).toEqual([true, true])
  })
})

function open(mode: 'auto' | 'prompt'): Promise<EditBench> {
  const config = { 'tools.approval.mode': mode, 'tools.dedupe_window_seconds': 0 } as const
  const approve = async (requests: readonly unknown[]) => requests.map(() => 'once' as const)
  return editBench({ 'a.txt': BODY, 'b.txt': BODY, 'd/c.txt': BODY }, { config, approve })
}

async function play(
  [edit, calls]: Turn,
  { runtime, put, root, tree }: EditBench,
): Promise<readonly unknown[]> {
  if (edit !== null && edit[1] === null) rmSync(join(root, edit[0]), { force: true })
  else if (edit !== null) put(edit[0], `${edit[1] ?? ''}\n${BODY}`)
  const results = await runtime.run(calls.map((call, at) => ({ id: `c${at}`, ...call })))
  return [results.map(describeEnd), tree()]
}

type Turn = typeof someTurn extends fc.Arbitrary<infer T> ? T : never

function describeEnd(result: ToolResult): string {
  const { state } = result.execution
  return result.ok ? `${result.name} ${state}` : `${result.name} ${state} ${result.error.message}`
}
