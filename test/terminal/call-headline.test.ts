import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { headline } from '../../src/terminal/call-headline.ts'

it.for<readonly [JsonObject | null, string]>([
  [null, ''],
  [{}, ''],
  [{ path: 'a.txt', start_line: 2 }, 'a.txt [2-]'],
  [{ cmd: ['ls', '-l'] }, 'ls -l'],
  [{ cmd: ['sh', '-c', 'make && ls'] }, 'make && ls'],
  [{ cmd: ['sh', '-c', 'echo $1', 'sh'] }, 'sh -c echo $1 sh'],
  [{ from: 'a', to: 'b' }, 'a to b'],
  [{ from: 'a to b', to: 'c' }, '"a to b" to c'],
  [{ path: 'a.txt [2-]', start_line: 9 }, '"a.txt [2-]" [9-]'],
  [{ patch: 'LP1\nF a.txt b.txt\nT\n.\nEND' }, '"a.txt b.txt"'],
  [{ old: 'x by y', new: '', paths: ['b'] }, '"x by y" by "" in b'],
  [{ patch: 'LP1\nF a.txt\nT\n.\nF b.txt\nEND' }, 'a.txt b.txt'],
  [{ path: 'a.txt', old: 'x', new: 'y' }, 'a.txt'],
  [{ edits: [{ path: 'a.txt', start_line: 1 }, { path: 'b' }, { path: 'a.txt' }] }, 'a.txt b'],
  [{ edits: [1] }, '{"edits":[1]}'],
  [{ old: 'x', new: 'y', paths: ['src/*.ts', 'b'] }, 'x by y in src/*.ts b'],
  [{ task: 'Count the files', role: 'reader' }, 'Count the files'],
  [{ odd: 1 }, '{"odd":1}'],
  [{ task: 'a\u001b[31m\nb' }, expect.not.stringMatching(/[\u001b\n]/) as string],
])('%j is %j in a few words', ([args, words]) => {
  expect(headline({ args })).toEqual(words)
})
