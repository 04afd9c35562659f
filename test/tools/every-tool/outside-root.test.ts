import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf } from '../../bench-folder.ts'
import { shippedTools } from './shipped-tools.ts'

/** How each tool is given a path. */
const CALLS: Readonly<Record<string, (path: string) => unknown>> = {
  apply_patch: (path) => ({ patch: `LP1\nF ${path}\nT\nx\n.\nEND\n` }),
  delete_path: (path) => ({ path }),
  edit_file: (path) => ({ path, old: 'a', new: 'b' }),
  edit_region: (path) => ({ path, start_line: 1, end_line: 1, new_content: 'x' }),
  list_directory: (path) => ({ path }),
  list_files: (path) => ({ directory: path }),
  move_path: (path) => ({ from: path, to: 'in.txt' }),
  multi_edit: (path) => ({ edits: [{ path, start_line: 1, end_line: 1, new_content: 'x' }] }),
  outline: (path) => ({ path }),
  read_file: (path) => ({ path }),
  replace: (path) => ({ old: 'secret', new: 'x', paths: [path] }),
  run_shell: (path) => ({ cmd: ['true'], cwd: path }),
  task: (path) => ({ action: 'export', export_path: path }),
  todo_write: (path) => ({ action: 'export', export_path: path }),
  write_file: (path) => ({ path, content: 'x' }),
}

/** Tools that are given no path: patterns, commands, tasks and addresses on the web do not name one. */
const PATHLESS = ['delegate', 'glob', 'run_command', 'run_tests', 'search', 'search_tools', 'web_fetch']

const OUTSIDE = [
  '../outside.txt',
  'sub/../../outside.txt',
  '/etc/hostname',
  'link/outside.txt',
  '../root-evil/x',
]

describe('a path outside of the root', () => {
  it('is tried with every tool that takes one', () => {
    expect([...Object.keys(CALLS), ...PATHLESS].toSorted(), 'CALLS or PATHLESS has to name each').toEqual(
      shippedTools.map(({ name }) => name).toSorted(),
    )
  })

  it.each(Object.keys(CALLS))(
    'F-SAFE-SBX: %s refuses it as a validation error, asks nobody and touches nothing',
    async (name) => {
      const b = bench({ 'sub/a.txt': 'a\n' })
      const outside = join(b.top, 'outside.txt')
      writeFileSync(outside, 'secret\n')
      mkdirSync(join(b.top, 'root-evil'))
      writeFileSync(join(b.top, 'root-evil', 'x'), 'secret\n')
      symlinkSync(b.top, join(b.root, 'link'))
      let questions = 0
      const runtime = await b.open({
        approve: (requests) => {
          questions += requests.length
          return requests.map(() => 'once' as const)
        },
      })
      for (const path of OUTSIDE) {
        const [result] = await runtime.run([{ id: '1', name, args: CALLS[name]?.(path) }])
        const error = errorOf(result)
        expect(error, path).toMatchObject({
          code: 'path_outside_sandbox',
          type: 'validation-error',
          state: 'DENIED',
        })
        expect(error.content).not.toContain('secret')
      }
      expect(questions).toBe(0)
      expect(readFileSync(outside, 'utf8')).toBe('secret\n')
    },
  )

  it('F-SAFE-SBX: patterns that point outside find nothing there', async () => {
    const b = bench({ 'a.txt': 'secret inside\n' })
    writeFileSync(join(b.top, 'outside.txt'), 'secret outside\n')
    symlinkSync(b.top, join(b.root, 'link'))
    const [globbed, searched] = await (
      await b.open()
    ).run([
      { id: '1', name: 'glob', args: { patterns: ['../**', 'link/**', '/etc/*'] } },
      { id: '2', name: 'search', args: { query: 'secret', include_paths: ['../**', '**'] } },
    ])
    for (const result of [globbed, searched]) expect(result?.content).not.toContain('outside.txt')
  })
})
