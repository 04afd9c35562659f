import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { builtInTools } from '../../src/tools/built-in.ts'
import { bench } from '../bench-folder.ts'
import type { Printed } from './print-summaries.ts'

/** A call of every built-in tool. */
const CALLS: Readonly<Record<string, JsonObject>> = {
  apply_patch: { patch: 'LP1\nF a.txt\nT\nx\n.\nEND\n' },
  delete_path: { path: 'a.txt' },
  edit_file: { path: 'a.txt', old: 'a', new: 'b' },
  edit_region: { path: 'a.txt', start_line: 1, end_line: 2, new_content: '' },
  glob: { patterns: ['*.txt'] },
  list_directory: { path: '.' },
  list_files: { directory: '.' },
  move_path: { from: 'a.txt', to: 'b.txt' },
  multi_edit: { edits: [{ path: 'a.txt', start_line: 1, end_line: 1, new_content: 'x' }] },
  read_file: { path: 'a.txt' },
  run_command: { command: 'cat a.txt' },
  run_shell: { cmd: ['cat', 'a.txt'] },
  run_tests: { selector: 'a.txt' },
  search: { query: 'x', include_paths: ['a.txt'] },
  task: { action: 'export', export_path: 'a.txt' },
  todo_write: { action: 'export', export_path: 'a.txt' },
  write_file: { path: 'a.txt', content: 'x' },
}

describe('the summary of a call', () => {
  it('is asked of every tool that ships', () => {
    expect(Object.keys(CALLS), 'CALLS has to have a call of each').toEqual(
      builtInTools.map(({ name }) => name).toSorted(),
    )
  })

  it('FR-REG-01a: is written where no file may be looked at and no process started', () => {
    const { root } = bench({ 'a.txt': 'a\n' })
    const readable = [join(TOP, 'src'), join(TOP, 'test'), join(TOP, 'package.json')]
    const modules = [join(TOP, 'node_modules'), realpathSync(join(TOP, 'node_modules'))]
    const printed = execFileSync(
      process.execPath,
      [
        '--permission',
        ...[...readable, ...modules].map((path) => `--allow-fs-read=${path}`),
        join(import.meta.dirname, 'print-summaries.ts'),
        JSON.stringify(CALLS),
      ],
      { cwd: root, encoding: 'utf8' },
    )
    const { summaries, attempt } = JSON.parse(printed) as Printed
    expect(attempt).toBe('ERR_ACCESS_DENIED')
    expect(summaries).toEqual(
      Object.fromEntries(builtInTools.map((tool) => [tool.name, tool.summary(CALLS[tool.name] ?? {})])),
    )
    expect(summaries).toMatchObject({ read_file: 'Read a.txt', move_path: 'Move a.txt to b.txt' })
  })
})
