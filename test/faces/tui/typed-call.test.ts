import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/core/registry.ts'
import { readTypedCall } from '../../../src/faces/tui/input/typed-call.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'

const { definitions } = createRegistry(builtInTools)
const read = (text: string) => readTypedCall(text, definitions)

describe('a call as a person types it', () => {
  it.for([
    ['read_file path=README.md', { path: 'README.md' }],
    ['  read_file {"path": "a b.txt", "end_line": 3}', { path: 'a b.txt', end_line: 3 }],
    ['read_file path="a b.txt" start_line=2', { path: 'a b.txt', start_line: 2 }],
    [`read_file path='it"s'`, { path: 'it"s' }],
    ['write_file path=12 content="a\\n\\"b\\"\\\\"', { path: '12', content: 'a\n"b"\\' }],
    ['write_file path=a content=', { path: 'a', content: '' }],
    ['write_file path=a content=true', { path: 'a', content: 'true' }],
    ['write_file path=a content=\nLP1\n x=1\n', { path: 'a', content: 'LP1\n x=1\n' }],
    ['list_files include_hidden=true', { include_hidden: true }],
    ['glob patterns=["**/*.ts", "a b"]', { patterns: ['**/*.ts', 'a b'] }],
    [`run_shell cmd='ls -l "a b"'`, { cmd: ['ls', '-l', 'a b'] }],
    ['read_file start_line=x', { start_line: 'x' }],
    ['list_directory', {}],
  ] as const)('%s', ([text, args]) => {
    expect(read(text)).toEqual({ is: 'call', name: text.trim().split(/\s/)[0], args })
  })

  it.for(['read the file', 'search for the word path=x', '', 'nosuch path=a', 'read_file README.md'])(
    '%j is words',
    (text) => {
      expect(read(text)).toEqual({ is: 'words' })
    },
  )

  it.for([
    ['read_file {"path": }', /not valid JSON.*column 10/],
    ['read_file path="open', /not closed/],
    ['read_file path=a path=b', /twice/],
    ['read_file path=a then more', /not key=value/],
    ['read_file {"path":"a"} trailing', /not valid JSON/],
  ] as const)('%s says what is wrong', ([text, why]) => {
    const typed = read(text)
    expect(typed).toMatchObject({ is: 'broken' })
    expect(typed.is === 'broken' ? typed.why : '').toMatch(why)
  })

  it('never reads a key of the prototype as a schema', () => {
    expect(read('read_file constructor=1')).toMatchObject({ is: 'call', args: { constructor: 1 } })
  })
})
