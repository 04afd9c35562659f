import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { compareFiles, describeFiles } from '../../harness/layers/describe-files.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { bench } from '../../bench-folder.ts'

const FILES = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'deep/in/f': 'f\n',
  'early/sub/file': 'early\n',
  'live/here': '',
  'old/one': '1\n',
  'other/x': 'x\n',
  'twin/one': 'mine\n',
  'twin-deep/in/f': 'mine\n',
}
const WORK = `echo changed > a.txt; rm b.txt; rm -r old; mkdir -p new/sub; echo new > new/sub/file
  echo changed > deep/in/f; echo new > deep/in/new`
/** In a folder that commands write to directly, both sides see what the other one does. */
const LIVE = { 'tools.shell.passthrough': ['live'] }

async function untilThere(path: string): Promise<void> {
  for (const giveUpAt = Date.now() + PATIENCE_MS; !existsSync(path); await pause(5))
    if (Date.now() > giveUpAt) throw new Error(`${path} never came`)
}

/** Puts another folder in the place of one; the times of the files in it stay as they are. */
function exchange(folder: string, other: string): void {
  renameSync(folder, `${folder}-before`)
  renameSync(other, folder)
}

/** Runs a command that works, tells of it, and waits until a person has done something. */
async function runBeside(act: (at: (name: string) => string) => void) {
  const b = bench(FILES)
  const runtime = await b.open({ config: LIVE, approve: (asked) => asked.map(() => 'once' as const) })
  try {
    const at = (name: string): string => join(b.root, name)
    const line = `${WORK}; touch live/ready; until [ -e live/go ]; do sleep 0.01; done`
    const running = runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
    const early = await Promise.race([running, untilThere(at('live/ready'))])
    if (early !== undefined) throw new Error(`it ended early: ${early[0]?.content}`)
    act(at)
    const theirs = describeFiles(b.root)
    writeFileSync(at('live/go'), '')
    const results = await running
    rmSync(at('live/go'))
    return { at, results, changed: compareFiles(theirs, describeFiles(b.root)) }
  } finally {
    await runtime.close()
  }
}

it.each<readonly [string, string, (at: (name: string) => string) => void]>([
  ['edits a file that it changed', 'a.txt', (at) => writeFileSync(at('a.txt'), 'mine\n')],
  ['writes a file that it changed as it was', 'a.txt', (at) => writeFileSync(at('a.txt'), 'a\n')],
  ['changes the mode of a file that it changed', 'a.txt', (at) => chmodSync(at('a.txt'), 0o600)],
  ['deletes a file that it changed', 'a.txt', (at) => rmSync(at('a.txt'))],
  ['renames a file that it changed', 'a.txt', (at) => renameSync(at('a.txt'), at('mine.txt'))],
  ['puts another file in its place', 'a.txt', (at) => renameSync(at('other/x'), at('a.txt'))],
  ['edits a file that it deleted', 'b.txt', (at) => writeFileSync(at('b.txt'), 'mine\n')],
  ['deletes a file that it deleted', 'b.txt', (at) => rmSync(at('b.txt'))],
  ['creates a name that it created', 'new', (at) => writeFileSync(at('new'), 'mine\n')],
  ['puts a file into a folder that it deleted', 'old/two', (at) => writeFileSync(at('old/two'), '2\n')],
  ['renames a folder that it deleted', 'old', (at) => renameSync(at('old'), at('kept'))],
  ['exchanges the folder of a file that it deleted', 'old/one', (at) => exchange(at('old'), at('twin'))],
  [
    'exchanges the folder of a file that it changed',
    'deep/in/f',
    (at) => exchange(at('deep'), at('twin-deep')),
  ],
  [
    'exchanges the folder of a file that it created',
    'deep/in/new',
    (at) => exchange(at('deep'), at('twin-deep')),
  ],
  ['moves a folder to a name that it created', 'new/sub/file', (at) => renameSync(at('early'), at('new'))],
])('a person %s while a command runs: it conflicts, and nothing lands', async (_what, path, act) => {
  const { results, changed } = await runBeside(act)
  expect(outcomes(results)).toEqual(['stale_file'])
  const [result] = results
  expect(JSON.stringify(result?.ok === false ? result.error.details : null)).toContain(`"${path}"`)
  expect(changed).toEqual([])
})

it('a person changes other files while a command runs: it lands, and theirs stay', async () => {
  const { at, results } = await runBeside((named) => {
    writeFileSync(named('other/x'), 'mine\n')
    writeFileSync(named('other/y'), 'mine\n')
    renameSync(named('twin'), named('other/twin'))
  })
  expect(outcomes(results)).toEqual(['ok'])
  expect(
    ['a.txt', 'new/sub/file', 'other/x', 'other/y'].map((name) => readFileSync(at(name), 'utf8')),
  ).toEqual(['changed\n', 'new\n', 'mine\n', 'mine\n'])
})
