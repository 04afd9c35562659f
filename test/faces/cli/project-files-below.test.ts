import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { codeOf, makeMachine, USERS } from './machine.ts'

const LOCK = '[tools.sandbox]\ndenied_patterns = ["locked/**"]\n'

it.for(USERS)(
  'what the file of a project below the root or in a second root forbids stays so, as %s',
  async (user) => {
    const { at, put, batch } = makeMachine(user)
    put('work/sub/.tongs.toml', LOCK)
    put('work/sub/x', 'x')
    put('more/.tongs.toml', LOCK)
    put('new/x', 'x')
    const roots = ['.', at('more'), at('new')]
    const words = [
      '--set',
      `tools.sandbox.allowed_roots=${JSON.stringify(roots)}`,
      '--set',
      'tools.sandbox.allow_absolute=true',
    ]
    const calls = [
      ['read_file', { path: 'sub/.tongs.toml' }],
      ['write_file', { path: 'sub/.tongs.toml', content: '' }],
      ['write_file', { path: 'sub/.Tongs.toml', content: '' }],
      ['write_file', { path: 'sub/deep/.tongs.toml', content: '' }],
      ['delete_path', { path: 'sub' }],
      ['move_path', { from: 'sub', to: 'away' }],
      ['move_path', { from: 'sub/x', to: 'sub/deep/.tongs.toml' }],
      ['delete_path', { path: at('more/.tongs.toml') }],
      ['write_file', { path: at('new/.tongs.toml'), content: '' }],
    ].map(([name, args]) => ({ name, args }))
    const edits = await batch(calls, { words })
    expect(edits.map(codeOf)).toEqual(['ok', ...calls.slice(1).map(() => 'denied_pattern')])
    const lines = ['rm sub/.tongs.toml', 'rm -r sub', 'mv sub away', `echo > ${at('more/.tongs.toml')}`]
    const ran = await batch(
      lines.map((line) => ({ name: 'run_shell', args: { cmd: ['sh', '-c', line] } })),
      { words },
    )
    expect(ran.map(codeOf)).not.toContain('ok')
    const [made] = await batch(
      [{ name: 'run_shell', args: { cmd: ['sh', '-c', 'mkdir d; echo > d/.tongs.toml; echo > d/y'] } }],
      { words },
    )
    expect(JSON.stringify(made)).toContain('left_out')
    expect([existsSync(at('work/d/y')), existsSync(at('work/d/.tongs.toml'))]).toEqual([true, false])
    for (const path of ['work/sub/.tongs.toml', 'more/.tongs.toml'])
      expect(readFileSync(at(path), 'utf8')).toBe(LOCK)
    expect(existsSync(at('new/.tongs.toml'))).toBe(false)
  },
)
