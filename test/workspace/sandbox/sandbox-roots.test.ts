import { describe, expect, it } from 'vitest'
import { codeOf, makeScratch } from '../../harness/scratch.ts'
import { makeSandbox, readText } from './make-sandbox.ts'

describe('several roots', () => {
  it('start relative paths at the first, and show the others by their absolute paths', () => {
    const scratch = makeScratch()
    scratch.file('first/a.txt')
    scratch.file('second/b.txt', 'from the second')
    const sandbox = makeSandbox(scratch, { rootNames: ['first', 'second'], allowAbsolute: true })
    expect(sandbox.locate('a.txt', 'read')).toMatchObject({ display: 'a.txt' })
    expect(sandbox.locate('b.txt', 'read').kind).toBe('missing')
    const there = sandbox.locate(scratch.at('second/b.txt'), 'read')
    expect(there).toMatchObject({ rel: 'b.txt', display: scratch.at('second/b.txt') })
    expect(there.root.path).toBe(scratch.at('second'))
  })

  it('let links lead from one into another, and no further', () => {
    const scratch = makeScratch()
    scratch.file('second/b.txt', 'from the second')
    scratch.link('first/there', '../second')
    scratch.link('second/back', scratch.at('first'))
    scratch.link('second/out', '/etc')
    scratch.file('first/home.txt', 'home')
    const sandbox = makeSandbox(scratch, { rootNames: ['first', 'second'] })
    expect(readText(sandbox, 'there/b.txt')).toBe('from the second')
    expect(readText(sandbox, 'there/back/there/back/home.txt')).toBe('home')
    expect(codeOf(() => sandbox.locate('there/out/passwd', 'read'))).toBe('path_outside_sandbox')
  })

  it('give up on links that go round between roots', () => {
    const scratch = makeScratch()
    scratch.link('first/a', '../second/b')
    scratch.link('second/b', '../first/a')
    const sandbox = makeSandbox(scratch, { rootNames: ['first', 'second'] })
    expect(codeOf(() => sandbox.locate('a', 'read'))).toBe('execution_failed')
  })

  it('take the most specific where they nest, and deny what any of them denies', () => {
    const scratch = makeScratch()
    scratch.file('outer/inner/deep/f.txt')
    scratch.file('outer/inner/private/f.txt')
    for (const rootNames of [
      ['outer', 'outer/inner'],
      ['outer/inner', 'outer'],
    ]) {
      const sandbox = makeSandbox(scratch, {
        rootNames,
        allowAbsolute: true,
        deniedPatterns: ['inner/private/**'],
      })
      const where = sandbox.locate(scratch.at('outer/inner/deep/f.txt'), 'read')
      expect(where.root.path).toBe(scratch.at('outer/inner'))
      expect(where.rel).toBe('deep/f.txt')
      expect(where.display).toBe(rootNames[0] === 'outer' ? 'inner/deep/f.txt' : 'deep/f.txt')
      expect(codeOf(() => sandbox.locate(scratch.at('outer/inner/private/f.txt'), 'read'))).toBe(
        'denied_pattern',
      )
      expect(sandbox.findDeny(where.root, 'private/f.txt', 'list')).toBe('inner/private/**')
    }
  })
})
