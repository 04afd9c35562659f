import * as fs from 'node:fs'
import fc from 'fast-check'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ToolCall } from '../../../src/core/call.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { AUTO, settledOf } from '../execute/staging-tools.ts'
import { batchOf } from '../sample-tools.ts'

const FILES = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.json': '{"x": 1}\n',
  'deep/c.txt': 'one\n',
  'unread.txt': 'one\n',
}
const READ = ['a.txt', 'b.json', 'deep/c.txt']
const PATHS = [...Object.keys(FILES), 'new.txt', 'fresh/d.txt', 'a.txt/below', 'fresh']
const WORDS = ['one', 'two', 'three', 'x', '1', '}', 'four\nfive', '']

const path = fc.constantFrom(...PATHS)
const word = fc.constantFrom(...WORDS)
const call = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ name: fc.constant('edit_file'), args: fc.record({ path, old: word, new: word }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constant('write_file'),
      args: fc.record({ path, content: word, append: fc.boolean() }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ path, before: word, after: word, more: path }).map(({ before, after, ...at }) => ({
      name: 'apply_patch',
      args: { patch: `LP1\nF ${at.path}\nR\n${before}\n.\n${after}\n.\nF ${at.more}\nT\n${after}\n.\nEND` },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      name: fc.constant('edit_region'),
      args: fc.record({
        path,
        start_line: fc.integer({ min: 1, max: 3 }),
        end_line: fc.constant(3),
        content: word,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('delete_path'), args: fc.record({ path }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ name: fc.constant('move_path'), args: fc.record({ from: path, to: path }) }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('read_file'), args: fc.record({ path }) }) },
)

/** All files of a workspace, with their modes. */
function filesOf({ root }: Bench): Readonly<Record<string, string>> {
  const files = fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files
      .toSorted()
      .map((file) => [
        file.slice(root.length + 1),
        `${fs.statSync(file).mode} ${fs.readFileSync(file, 'utf8')}`,
      ]),
  )
}

/** A result without what is different in every run. */
function plainly(result: ToolResult, { top }: Bench): unknown {
  const text = JSON.stringify({ ...result, execution: { state: result.execution.state } })
  return JSON.parse(
    text
      .replaceAll(top, '')
      .replaceAll(/[0-9]{8}T[0-9]{9}Z-/g, '')
      .replaceAll(/"left_ms":[0-9.]+|in [0-9]+ s\b|[0-9]+ s ago/g, '"left_ms":0')
      .replaceAll(/\b[0-9a-z]{26}-[0-9a-f]{8}\b/g, 'FILE')
      .replaceAll(/\b[0-9a-z]{26}\b/g, 'ID')
      .replaceAll(/backups\/[0-9a-f]{32}/g, 'backups'),
  )
}

interface Played {
  readonly results: readonly unknown[]
  readonly files: unknown
  /** What each undo said, and what it left. */
  readonly undone: readonly unknown[]
  readonly ledger: unknown
}

/** Runs a batch and undoes its calls in an order. */
async function play(
  calls: readonly ToolCall[],
  order: readonly number[],
  isGrouped: boolean,
): Promise<Played> {
  const b = bench(FILES)
  const config = { ...AUTO, 'tools.edit.group': isGrouped }
  const runtime = await b.open({ config, durability: 'memory' })
  await runtime.run(batchOf(...READ.map((name) => ['read_file', { path: name }] as const)))
  const results = await runtime.run(calls)
  const files = filesOf(b)
  const changed = settledOf(runtime).flatMap(({ execution, changes }) =>
    changes.length > 0 ? [execution] : [],
  )
  const undone: unknown[] = []
  for (const at of order) {
    const execution = changed[at % Math.max(1, changed.length)]
    if (execution === undefined) continue
    const { ok, files: named, drifted } = await runtime.undo({ calls: [execution] })
    undone.push({ ok, named, drifted, left: filesOf(b) })
  }
  const { ok } = await runtime.undo({ turn: true })
  undone.push({ ok, left: filesOf(b), isIntact: (await runtime.verify()).ok })
  // Editing once more shows what counts as read.
  const [again] = await runtime.run(batchOf(['write_file', { path: 'deep/c.txt', content: 'last' }]))
  await runtime.close()
  return { results: results.map((row) => plainly(row, b)), files, undone, ledger: again?.ok }
}

it(
  'edits that are committed together leave the same files, results and undos as edits that are committed one by one',
  { timeout: PATIENCE_MS },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 2, maxLength: 7 }),
        fc.array(fc.nat(6), { maxLength: 3 }),
        async (made, order) => {
          const calls = made.map(({ name, args }, index) => ({ id: `c${index + 1}`, name, args }))
          const [together, alone] = [await play(calls, order, true), await play(calls, order, false)]
          expect(together).toEqual(alone)
        },
      ),
      { numRuns: Number(process.env['GROUP_RUNS'] ?? 40) },
    )
  },
)
