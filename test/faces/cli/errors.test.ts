import { describe, expect, it } from 'vitest'
import { failure } from '../../../src/core/error.ts'
import { explainError } from '../../../src/faces/cli/errors.ts'
import type { Terminal } from '../../../src/faces/cli/terminal.ts'

function complaintsAbout(thrown: unknown): { readonly exit: number; readonly said: readonly string[] } {
  const said: string[] = []
  const terminal = { warn: (text: string) => void said.push(text) } as unknown as Terminal
  return { exit: explainError(thrown, terminal), said }
}

describe('trouble outside of any call', () => {
  it('a folder that cannot be opened is said with what to do, and not as a fault of ours', () => {
    const thrown = failure('execution_failed', 'Cannot open .: the disk is full.', {}, ['Free some space.'])
    expect(complaintsAbout(thrown)).toEqual({
      exit: 1,
      said: ['tongs: Cannot open .: the disk is full. Free some space.'],
    })
  })

  it.each([
    ['EIO', 'open', '/proc/self/mountinfo', 'the system reported EIO'],
    ['EMFILE', 'open', '/w/root', 'too many files open'],
    ['ENOSPC', 'write', undefined, 'the disk is full'],
  ])('a machine that fails for now (%s) is said as such, wherever it was met', (code, syscall, path, why) => {
    const thrown = Object.assign(new Error(`${code}: ${syscall}`), { code, syscall, path })
    const { exit, said } = complaintsAbout(thrown)
    expect(exit).toBe(1)
    expect(said).toEqual([expect.stringContaining(`Cannot ${syscall} ${path ?? 'file'}: `)])
    expect(said[0]).toContain(why)
  })

  it('what nobody foresaw says so, and how to see more', () => {
    const { exit, said } = complaintsAbout(new Error('odd'))
    expect(exit).toBe(1)
    expect(said.join('\n')).toContain('unexpected error: odd')
  })
})
