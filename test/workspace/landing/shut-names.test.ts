import { chmodSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runOrdinary } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

function differences(line: string, ...around: readonly string[]): unknown {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o1777)
  return runOrdinary(new URL('shut-names-child.ts', import.meta.url), scratch.path, line, ...around)
}

const SAME = [null, null, null, null]

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
  expect(differences(line ?? '')).toEqual(SAME)
})

const TREE = 'mkdir -p d/s/t; echo y > d/y; echo z > d/s/z; echo t > d/s/t/t; echo o > o'
const WORK = 'echo m >> d/y; echo n > d/n; mv o d/s/o; rm d/s/z; mv d/s/t/t out; echo u > d/s/t/u'

it.for([
  ['only read', '555'],
  ['only list', '444'],
  ['only enter', '111'],
  ['not read', '311'],
  ['not use', '000'],
])(
  'a command that leaves folders that it worked in so that their owner may %s (%s) lands, and is undone and redone whole',
  ([, mode]) => {
    expect(differences(`${WORK}; chmod ${mode} d/s/t d/s; chmod ${mode} d`, TREE)).toEqual(SAME)
  },
)

it.for([
  ['new and changed files', 'echo m >> d/y; echo n > d/n'],
  ['removed and moved files', 'rm d/y; mv d/s/t/t d/y; mv o d/s/o'],
  ['new folders', 'mkdir d/new; echo n > d/new/n; chmod 555 d/new'],
  ['names in an inner one alone', 'echo u > d/s/u'],
  ['another folder in the place of one', 'rm -r d/s; mkdir d/s; echo 1 > d/s/1; chmod 555 d/s'],
])('a command that opens read-only folders and closes them again lands whole: %s', ([, line]) => {
  const first = `${TREE}; chmod 555 d/s/t d/s d`
  expect(differences(`chmod 755 d d/s d/s/t; ${line}; find d -type d -exec chmod a-w {} +`, first)).toEqual(
    SAME,
  )
})

it('a read-only folder that a person makes writable after a command stays so when the command is undone and redone', () => {
  const line = 'chmod 755 d; echo m >> d/y; echo n > d/n; chmod 555 d'
  expect(differences(line, `${TREE}; chmod 555 d`, 'chmod 700 d; echo theirs > d/theirs')).toEqual([
    null,
    null,
    expect.stringMatching(/^d: expected d 0755 .* found d 0700 /),
    expect.stringMatching(/^d\/theirs: expected nothing, found /),
    expect.stringMatching(/^mode of .*: expected 555, found nothing$/),
    null,
    expect.stringMatching(/^d: expected d 0755 .* found d 0700 /),
    expect.stringMatching(/^d\/theirs: /),
    expect.stringMatching(/^mode of /),
    null,
    expect.stringMatching(/^d: expected d 0755 .* found d 0700 /),
    expect.stringMatching(/^d\/theirs: /),
    expect.stringMatching(/^mode of /),
  ])
})
