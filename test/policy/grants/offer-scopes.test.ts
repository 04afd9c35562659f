import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileCover, prepareCall } from '../../../src/policy/grants/cover.ts'
import type { GrantCall } from '../../../src/policy/grants/cover.ts'
import { offerScopes } from '../../../src/policy/grants/offer-scopes.ts'

const EDIT: GrantCall = { tool: 'write_file', argsDigest: 'd1', paths: ['src/a.ts'], command: null }

function kinds(call: Partial<GrantCall>): readonly string[] {
  return offerScopes({ ...EDIT, ...call }).map(({ scope }) => {
    switch (scope.kind) {
      case 'path':
        return scope.glob
      case 'command':
        return scope.words.join(' ')
      default:
        return scope.kind
    }
  })
}

describe('what a person may be offered', () => {
  it('goes from narrow to wide: the arguments, the file, its folder, the tool', () => {
    expect(kinds({})).toEqual(['arguments', 'src/a.ts', 'src/**', 'tool'])
  })

  it('has no folder where the file lies at the top, and only the folder where there are several files', () => {
    expect(kinds({ paths: ['a.ts'] })).toEqual(['arguments', 'a.ts', 'tool'])
    expect(kinds({ paths: ['src/a/x.ts', 'src/b/y.ts'] })).toEqual(['arguments', 'src/**', 'tool'])
    expect(kinds({ paths: ['a/x.ts', 'b/y.ts'] })).toEqual(['arguments', 'tool'])
  })

  it('has no paths where one is not known', () => {
    expect(kinds({ paths: ['src/a.ts', null] })).toEqual(['arguments', 'tool'])
  })

  it('takes the characters of a name as they are', () => {
    const [, file] = offerScopes({ ...EDIT, paths: ['src/[id].ts'] })
    if (file === undefined) throw new Error('nothing offered')
    const covers = compileCover(file.scope)
    expect(covers(prepareCall({ ...EDIT, paths: ['src/[id].ts'] }))).toBe(true)
    expect(covers(prepareCall({ ...EDIT, paths: ['src/i.ts'] }))).toBe(false)
  })

  it.for([
    [['git', 'log', '-3'], 'git log'],
    [['ls', '-la'], 'ls'],
    [['pwd'], 'pwd'],
  ] as const)('a harmless command is offered by its program and verb: %j', ([words, prefix]) => {
    const command = { kind: 'words', words } as const
    expect(kinds({ tool: 'run_shell', paths: [], command })).toEqual(['arguments', prefix, 'tool'])
  })

  it.for([
    { kind: 'words', words: ['rm', '-rf', 'x'] },
    { kind: 'words', words: ['sh', '-c', 'ls'] },
    { kind: 'words', words: ['npm', 'test'] },
    { kind: 'words', words: ['make'] },
    { kind: 'words', words: ['git', 'log', '--output=x'] },
    { kind: 'words', words: ['git', 'log'], isAltered: true },
    { kind: 'line', text: 'git log; reboot' },
    { kind: 'line', text: 'echo $HOME' },
  ] as const)('no beginning is offered of what a beginning says too little about: %j', (command) => {
    expect(kinds({ tool: 'run_shell', paths: [], command })).toEqual(['arguments', 'tool'])
  })

  it('law: whatever is offered covers the call it is offered for, and says so in one line', () => {
    const name = fc.stringMatching(/^[a-z.*?[\]{}!\\]{1,6}$/)
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
    const word = fc.constantFrom('git', 'log', '-x', 'rm', 'sh', 'a b', '')
    const call = fc.record({
      tool: fc.constant('t'),
      argsDigest: fc.constant('d'),
      paths: fc.array(path, { maxLength: 3 }),
      command: fc.option(fc.record({ kind: fc.constant('words' as const), words: fc.array(word) })),
    })
    fc.assert(
      fc.property(call, (made) => {
        for (const { scope, sentence } of offerScopes(made)) {
          expect(compileCover(scope)(prepareCall(made))).toBe(true)
          expect(sentence).toMatch(/^t may run without a question [^\n]+\.$/)
        }
      }),
    )
  })
})
