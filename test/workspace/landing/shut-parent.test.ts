import { chmodSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runOrdinary } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

it.for([
  ['delete_path', { path: 'shut/empty' }],
  ['move_path', { from: 'shut/empty', to: 'open/new' }],
  ['move_path', { from: 'open/empty', to: 'shut/new' }],
] as const)('%s of an empty folder is refused if the folder above cannot be written: %j', ([name, args]) => {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o1777)
  const child = new URL('shut-parent-child.ts', import.meta.url)
  expect(runOrdinary(child, scratch.path, name, JSON.stringify(args), 'shut')).toEqual({
    ok: false,
    said: expect.stringContaining('Cannot write to the folder shut'),
    undone: false,
    there: ['shut/empty', 'open/empty'],
  })
})
