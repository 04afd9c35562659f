import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const FILES = { f: 'at the top\n', 'lib/g': 'in lib\n', 'private/ok/p': 'private\n' }

function allowing(...roots: readonly string[]): Partial<RuntimeOptions> {
  return {
    approve: (requests) => requests.map(() => 'once' as const),
    config: {
      'tools.sandbox.allowed_roots': [...roots],
      'tools.sandbox.denied_patterns': ['private/**'],
    },
  }
}

describe('without any allowed folder', () => {
  it.each([
    ['read_file', { path: 'f' }],
    ['read_file', { path: 'lib/g' }],
    ['list_directory', { path: '.' }],
    ['list_files', {}],
    ['glob', { patterns: ['**'] }],
    ['search', { query: 'lib' }],
    ['write_file', { path: 'n', content: 'x' }],
    ['delete_path', { path: 'f' }],
    ['move_path', { from: 'f', to: 'g' }],
    ['run_shell', { cmd: ['cat', 'f'] }],
  ])('%s %j is refused', async (name, args) => {
    const b = bench(FILES)
    expect(errorOf(await b.call(name, args, allowing())).code).toBe('path_outside_sandbox')
  })
})

describe('patterns that start at the project', () => {
  it.each([[['private/ok']], [['lib', 'private/ok']], [['.', 'private/ok']]])(
    'hold in %j, whether or not the project itself is allowed',
    async (roots) => {
      const b = bench(FILES)
      const path = join(b.root, 'private/ok/p')
      expect(errorOf(await b.call('read_file', { path }, allowing(...roots))).code).toBe('denied_pattern')
    },
  )

  it('leave alone what they do not name', async () => {
    const b = bench(FILES)
    expect(outputOf(await b.call('read_file', { path: 'g' }, allowing('lib')))).toMatchObject({})
    const data = join(b.top, 'data')
    mkdirSync(join(data, 'other'), { recursive: true })
    writeFileSync(join(data, 'other/p'), 'x\n')
    outputOf(await b.call('read_file', { path: join(data, 'other/p') }, allowing('.', data)))
  })
})
