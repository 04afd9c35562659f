import { chmodSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runOrdinary } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

it.for([
  ['a file that was there', 'chmod 000 README; rm -r src'],
  ['a new file', 'echo x > new; chmod 000 new; rm -r src'],
  ['a new folder', 'mkdir new; echo x > new/x; chmod 000 new; rm -r src'],
  [
    'new folders in each other',
    'mkdir -p new/in; echo x > new/in/x; chmod 000 new/in; chmod 000 new; rm -r src',
  ],
  ['a folder that was there', 'echo x > src/new; chmod 000 src; echo > README'],
])('a command that closes %s to its owner lands, and is undone and redone whole', ([, line]) => {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o1777)
  const child = new URL('shut-names-child.ts', import.meta.url)
  expect(runOrdinary(child, scratch.path, line ?? '')).toEqual([null, null, null, null])
})
