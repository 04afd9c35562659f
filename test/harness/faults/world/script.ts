import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolCall } from '../../../../src/core/call.ts'
import { defineTool } from '../../../../src/tools/define/define-tool.ts'
import { boolean, object } from '../../../../src/schema/schema.ts'
import type { Tool } from '../../../../src/core/tool.ts'
import { unwatched } from './watching.ts'

/** The session that everything happens in. */
export const SESSION = 'faults'

const FILES: readonly (readonly [name: string, mode: number, content: string])[] = [
  ['a.txt', 0o644, 'alpha\nbeta\ngamma\n'],
  ['run.sh', 0o755, '#!/bin/sh\necho one\n'],
  ['deep/er/old.txt', 0o640, 'old\n'],
  ['odd.txt', 0o600, '\u{feff}one\r\ntwo\r\nno end'],
  ['log.txt', 0o644, 'start\n'],
  ['keep/gone.txt', 0o644, 'to be removed\n'],
  ['keep/.hidden', 0o444, 'stays\n'],
]

/** Lays out the files that every script begins with. */
export function layFiles(root: string): void {
  for (const [name, mode, content] of FILES) {
    fs.mkdirSync(dirname(join(root, name)), { recursive: true })
    fs.writeFileSync(join(root, name), content)
    fs.chmodSync(join(root, name), mode)
  }
}

const PATCH = `LP1
F a.txt
R
beta
.
BETA
.
F run.sh
R
echo one
.
echo two
.
F deep/er/old.txt
B
newer
.
F odd.txt
R
two
.
TWO
.
F new/one/n1.txt
T
first
.
F new/n2.txt
T
second
.
END`

const READS = ['a.txt', 'run.sh', 'deep/er/old.txt', 'odd.txt', 'log.txt']

/** A batch that reads, patches six files of which two and their folders are new, appends, and overwrites. */
export const BUILT_IN_CALLS: readonly ToolCall[] = numbered([
  ...READS.map((path) => ({ name: 'read_file', args: { path } })),
  { name: 'apply_patch', args: { patch: PATCH } },
  { name: 'write_file', args: { path: 'log.txt', content: 'once\n', append: true } },
  { name: 'write_file', args: { path: 'a.txt', content: 'all new\n' } },
])

/** The same, with two tools of ours in between: one removes and makes files, one only leaves its mark. */
export const LIBRARY_CALLS: readonly ToolCall[] = numbered([
  ...BUILT_IN_CALLS.slice(0, -1),
  { name: 'tidy', args: {} },
  { name: 'look', args: {} },
  ...BUILT_IN_CALLS.slice(-1),
])

function numbered(calls: readonly Omit<ToolCall, 'id'>[]): readonly ToolCall[] {
  return calls.map(({ name, args }, index) => ({ id: `c${index + 1}`, name, args }))
}

/** The tools of `LIBRARY_CALLS`. Each start leaves the call's execution id in `marks`; a rehearsal is no start. */
export function markingTools(marks: string): readonly Tool[] {
  const output = object({ done: boolean('Whether it is done') }, 'The outcome')
  const input = object({}, 'Nothing')
  const mark = (execution: string, isDryRun: boolean): void => {
    if (!isDryRun) unwatched(() => fs.appendFileSync(marks, `${execution}\n`))
  }
  return [
    defineTool({
      name: 'tidy',
      version: '1.0.0',
      description: 'Removes one file and makes another',
      effect: 'edit',
      input,
      output,
      run: (_args, { executionId, isDryRun, edits }) => {
        mark(executionId, isDryRun)
        edits.remove('keep/gone.txt')
        edits.write('made/by/tidy.bin', Uint8Array.of(0, 255, 10, 13))
        return { done: true }
      },
    }),
    defineTool({
      name: 'look',
      version: '1.0.0',
      description: 'Only leaves its mark',
      effect: 'read',
      input,
      output,
      run: (_args, { executionId, isDryRun }) => {
        mark(executionId, isDryRun)
        return { done: true }
      },
    }),
  ]
}
