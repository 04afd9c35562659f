import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const SECRET = 'LATE-SECRET'
const FILES = { 'in/a': 'a', 'in/first': 'first', 'in/deep/b': 'b', 'out/key.txt': SECRET, 'live/here': '' }
/** In a folder that commands write to directly, both sides see what the other one does. */
const LIVE = { 'tools.shell.passthrough': ['live'] }

const NAMES = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
  [`GIT_${who}_NAME`, 'One'],
  [`GIT_${who}_EMAIL`, 'one@example.org'],
])
const GIT_ENV = { ...process.env, ...Object.fromEntries(NAMES) }

/** Denied names that are links: to a file, to another link, and to nothing. */
const LINKS = { 'in/id_rsa': 'first', 'in/step': 'first', 'in/key.pem': 'step', 'in/server.key': 'later' }

/** Puts a secret into place as rotated ones are: by a link that takes the place of another. */
function relink(at: At, target: string, path: string): void {
  writeFileSync(at(join('in', target)), SECRET)
  symlinkSync(target, at('in/fresh'))
  renameSync(at('in/fresh'), at(path))
}

type At = (path: string) => string

/** Runs a command that waits until a person has done something, and then reads what it can. */
async function readBeside(act: (at: At) => void): Promise<string> {
  const b = bench(FILES)
  const at: At = (path) => join(b.root, path)
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, at(path))
  execFileSync('git', ['init', '-q'], { cwd: b.root, env: GIT_ENV })
  const runtime = await b.open({ config: LIVE, approve: (asked) => asked.map(() => 'once' as const) })
  const line = `ls -R >/dev/null; touch live/ready; until [ -e live/go ]; do sleep 0.01; done
    find . -path ./.git -prune -o -type f -print0 | xargs -0 cat; echo made > new`
  const running = runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
  for (const giveUpAt = Date.now() + PATIENCE_MS; !existsSync(at('live/ready')); await pause(5))
    if (Date.now() > giveUpAt) throw new Error('the command never began')
  act(at)
  rmSync(at('out'), { recursive: true })
  writeFileSync(at('live/go'), '')
  const [result] = await running
  expect(existsSync(at('new'))).toBe(result?.ok === true)
  return result?.content ?? ''
}

it.each<readonly [string, string, (at: At) => void]>([
  ['creates one', '.env', (at) => writeFileSync(at('.env'), SECRET)],
  ['creates one in a folder', 'in/deep/.env', (at) => writeFileSync(at('in/deep/.env'), SECRET)],
  ['renames a file to one', 'in/deep/id_rsa', (at) => renameSync(at('out/key.txt'), at('in/deep/id_rsa'))],
  [
    'moves a folder there with one in it',
    'came/sub/.env',
    (at) => {
      mkdirSync(at('out/sub'))
      renameSync(at('out/key.txt'), at('out/sub/.env'))
      renameSync(at('out'), at('came'))
      mkdirSync(at('out'))
    },
  ],
  ['points the link to it elsewhere', 'in/id_rsa', (at) => relink(at, 'deep/secret', 'in/id_rsa')],
  ['points a link on the way elsewhere', 'in/key.pem', (at) => relink(at, 'secret', 'in/step')],
  ['creates what the link to it leads to', 'in/server.key', (at) => writeFileSync(at('in/later'), SECRET)],
])(
  'a denied file that was not there: a person %s while a command runs: nothing of what it read or changed is kept',
  async (_, path, act) => {
    const said = await readBeside(act)
    expect(said).not.toContain(SECRET)
    expect(said).toContain(`${path} was renamed or created by another process`)
  },
)

it('files with other names that come while a command runs do no harm', async () => {
  const said = await readBeside((at) => {
    mkdirSync(at('came'))
    writeFileSync(at('came/plain'), 'plain')
    writeFileSync(at('live/.env'), 'passed through')
    for (const words of [
      ['add', 'came'],
      ['commit', '-qm', 'came'],
      ['branch', 'other'],
      ['gc', '-q'],
    ])
      execFileSync('git', words, { cwd: at('.'), env: GIT_ENV })
  })
  expect(said).not.toContain('another process')
})
