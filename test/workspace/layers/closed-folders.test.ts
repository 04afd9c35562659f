import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openCopyLayer } from '../../../src/host/layer/copy/open-copy.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { readLayer } from '../../../src/workspace/layers/read-layer.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import { bench } from '../../bench-folder.ts'
import { runOrdinary } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { SETTINGS } from './layer-bench.ts'

/** In a folder that commands write to directly, both sides see what the other one does. */
const LIVE = { 'tools.shell.passthrough': ['live'] }

type Act = (folder: string) => void

/** Runs a command beside a person who does something to the folder `d` once the command has worked. */
async function runBeside(line: string, act: Act) {
  const b = bench({ 'd/a': 'a\n', 'd/in/b': 'b\n', 'live/here': '' })
  const at = (name: string): string => join(b.root, name)
  chmodSync(at('d'), 0o755)
  const runtime = await b.open({ config: LIVE, approve: (asked) => asked.map(() => 'once' as const) })
  const cmd = ['sh', '-c', `${line}; touch live/ready; until [ -e live/go ]; do sleep 0.01; done`]
  const running = runtime.run([{ id: 'c', name: 'run_shell', args: { cmd } }])
  for (const giveUpAt = Date.now() + PATIENCE_MS; !existsSync(at('live/ready')); await pause(5))
    if (Date.now() > giveUpAt) throw new Error('the command never began')
  act(at('d'))
  writeFileSync(at('live/go'), '')
  return { at, outcomes: outcomes(await running) }
}

const close: Act = (folder) => chmodSync(folder, 0o700)

it.each<readonly [string, string, Act]>([
  ['a new file', 'echo new > d/n', close],
  ['a changed file', 'echo new > d/a', close],
  ['a removed file', 'rm d/a', close],
  ['a new folder', 'mkdir d/n', close],
  [
    'a new file, and one of theirs after it was closed',
    'echo new > d/n',
    (folder) => {
      close(folder)
      writeFileSync(join(folder, 'theirs'), '')
    },
  ],
])('a folder that a person closes while a command runs stays closed: %s', async (_, line, act) => {
  const ran = await runBeside(line, act)
  expect(ran.outcomes).toEqual(['ok'])
  expect(statSync(ran.at('d')).mode & 0o7777).toBe(0o700)
})

it.each([
  ['changes its mode as well', 'chmod 750 d'],
  ['moves it', 'mv d e'],
  ['removes it', 'rm -r d'],
  ['makes another one in its place', 'rm -r d; mkdir d'],
  ['puts a file in its place', 'rm -r d; echo f > d'],
])('a folder that a person closes while a command %s makes that stale', async (_, line) => {
  const ran = await runBeside(line, close)
  expect(ran.outcomes).toEqual(['stale_file'])
  expect(statSync(ran.at('d')).mode & 0o7777).toBe(0o700)
})

it('a change that only the time of a moved folder tells of, such as an access list, makes that stale', async () => {
  const ran = await runBeside('mv d e', (folder) => chmodSync(folder, 0o755))
  expect(ran.outcomes).toEqual(['stale_file'])
})

it('a mode that a command gives to a folder lands, whatever comes into the folder meanwhile', async () => {
  const ran = await runBeside('chmod 750 d', (folder) => writeFileSync(join(folder, 'theirs'), ''))
  expect(ran.outcomes).toEqual(['ok'])
  expect(statSync(ran.at('d')).mode & 0o7777).toBe(0o750)
})

it.each<readonly [string, readonly string[], (upper: string) => void]>([
  ['a new file', [], (upper) => writeFileSync(join(upper, 'd/n'), '')],
  ['its mode', ['d'], (upper) => chmodSync(join(upper, 'd'), 0o750)],
  ['that it is gone', ['d'], (upper) => rmSync(join(upper, 'd'), { recursive: true })],
  [
    'another folder',
    ['d'],
    (upper) => {
      // It stays, so that the new one gets another inode.
      renameSync(join(upper, 'd'), join(upper, 'e'))
      mkdirSync(join(upper, 'd'))
    },
  ],
])('a folder that a person closes while a command works on a copy: %s', async (_, expected, work) => {
  const scratch = makeScratch()
  scratch.file('root/d/a')
  const path = scratch.at('root')
  chmodSync(join(path, 'd'), 0o755)
  utimesSync(join(path, 'd'), 1, 1)
  const request = { execution: 'e1', roots: [path], places: [scratch.folder('place')] }
  const layer = await openCopyLayer(request, { masked: [], own: [] }, { maxBytes: 10_000, maxFiles: 100 })
  work(join(layer.parts[0]?.folder ?? '', 'upper'))
  close(join(path, 'd'))
  const root = openRoot(path)
  try {
    const options = { deniedPatterns: [], allowAbsolute: true, includeDefaultDenies: true }
    const sandbox = createSandbox({ roots: [root], ...options })
    const home = scratch.folder('home')
    const findGitIn = (): null => null
    const { stale, changes } = await readLayer(layer, {
      sandbox,
      own: [],
      settings: SETTINGS,
      home,
      findGitIn,
    })
    expect(stale).toEqual(expected)
    if (expected.length === 0) expect(changes.map((change) => change.path)).toEqual(['d/n'])
  } finally {
    root.close()
  }
})

it('what a command changed is kept if the system refuses to let its layer be read', () => {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o1777)
  expect(runOrdinary(new URL('shut-part-child.ts', import.meta.url), scratch.path)).toEqual({
    said: expect.stringContaining(
      'permission denied. The command ran, and what it changed is kept on its layer.',
    ),
    kept: 'a\nmore\n',
  })
})
