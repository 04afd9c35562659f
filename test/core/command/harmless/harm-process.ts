/**
 * Runs random commands that the rows understand, in the sandbox, in a repository full of traps, and prints as JSON what
 * was written or started by which row. Started as root or as an ordinary user.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { defineRow } from '../../../../src/core/command/harmless/grammar.ts'
import type { HarmlessRow } from '../../../../src/core/command/harmless/grammar.ts'
import { HARMLESS_ROWS } from '../../../../src/core/command/harmless/harmless-commands.ts'
import { becomeOrdinary } from '../../../harness/ordinary-user.ts'
import { shellWord } from '../../../harness/shell-word.ts'
import { openCommandBench, SYSTEM_PATH } from '../../../host/run/command-bench.ts'
import { drawArguments, throwDice } from './random-arguments.ts'

const [, , how = '', seed = '1', count = '10'] = process.argv
if (how !== 'root') becomeOrdinary()

/** Rows with one unsafe option each, which the check below has to find. */
const PLANTED: readonly HarmlessRow[] = [
  defineRow('sort', { options: '-o=text -u', operands: ['text'], most: Infinity }),
  defineRow('uniq', { options: '-c', operands: ['text'], most: 2 }),
  defineRow('git grep', { options: '-O[=text] -n', operands: ['text'], most: Infinity }),
  defineRow('git log', { style: 'letters', options: '-p --output=text', operands: ['text'] }),
  defineRow('git branch', { options: '-a', operands: ['text'] }),
  defineRow('find', { style: 'words', options: '-fprint=text -name=text', operands: ['text'], most: 2 }),
]

/** Programs that others start; each leaves a mark if it is. */
const CANARIES =
  'evil less more pager man vi vim ed emacs nano gzip gunzip zcat xz unxz bzip2 zstd lzma lz4 brotli compress uncompress pr gpg gpg2 gpgsm ssh-keygen ssh scp curl wget python3 python perl sh bash dash zsh awk gawk xargs env nice timeout mail sendmail hostname node npm make cc tar cp mv rm tee touch'.split(
    ' ',
  )

const bench = await openCommandBench()
const { root } = bench
const at = (...parts: readonly string[]): string => join(root, ...parts)

function layOut(): void {
  for (const folder of ['sub', 'bin', 'marks', 'tools']) mkdirSync(at(folder))
  writeFileSync(at('a.txt'), 'one word\ntwo words\nthree\n')
  writeFileSync(at('precious'), 'b\na\na\n')
  writeFileSync(at('new.txt'), 'x\n')
  writeFileSync(at('sub', 'b.txt'), 'word\n')
  writeFileSync(at('packed.gz'), gzipSync('word\n'))
  writeFileSync(at('.gitattributes'), '*.txt diff=evil filter=evil textconv=evil\n')
  writeFileSync(at('.ripgreprc'), '--pre=./evil\n')
  symlinkSync('a.txt', at('link'))
  for (const name of CANARIES) plant(at('bin', name), name)
  plant(at('evil'), 'evil')
  const rg = process.env['SEARCH_PROGRAM'] ?? ''
  if (rg !== '') {
    writeFileSync(at('tools', 'rg'), readFileSync(rg))
    chmodSync(at('tools', 'rg'), 0o755)
  }
  const env = { PATH: SYSTEM_PATH, HOME: at('sub'), GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      env,
      stdio: 'pipe',
    })
  }
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'one')
  writeFileSync(at('a.txt'), 'one word\ntwo words\nfour\n')
  git('commit', '-qam', 'two')
  writeFileSync(at('a.txt'), 'one word\nfive\n')
}

function plant(path: string, name: string): void {
  writeFileSync(path, `#!/bin/sh\n/usr/bin/touch ${shellWord(at('marks', name))}\n`)
  chmodSync(path, 0o755)
}

/** Every file with its content and mode; git may refresh what its index says about times. */
function snapshot(folder = root, found = new Map<string, string>()): ReadonlyMap<string, string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (path === at('.git', 'index')) continue
    const { mode } = entry.isSymbolicLink() ? { mode: 0 } : statSync(path)
    found.set(
      path,
      `${mode} ${entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''}`,
    )
    if (entry.isDirectory()) snapshot(path, found)
  }
  return found
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  )
}

function isThere(program: string): boolean {
  return [...SYSTEM_PATH.split(':'), at('tools')].some((folder) => existsSync(join(folder, program)))
}

interface Trial {
  readonly name: string
  readonly commands: readonly (readonly string[])[]
}

/** Runs commands in one sandbox, and gives how many came to their end and what they changed. */
async function runTrials(trials: readonly Trial[]): Promise<{ ran: number; changed: readonly string[] }> {
  const before = snapshot()
  const lines = trials.flatMap(({ commands }) =>
    commands.map((words) => `/usr/bin/timeout -s KILL 10 ${words.map(shellWord).join(' ')}; echo >&3`),
  )
  const env = { PATH: `${at('bin')}:${SYSTEM_PATH}:${at('tools')}`, HOME: '/nonexistent' }
  // A file, because so many commands do not fit on one line; the shell must not be one of the planted ones.
  const script = at('marks', '.trials')
  writeFileSync(script, `exec 3>&1 </dev/null >/dev/null 2>&1\n${lines.join('\n')}`)
  const end = await bench.run(['/bin/sh', script], { env })
  rmSync(script)
  const changed = differences(before, snapshot())
  // A mark that stays would hide the next one.
  for (const mark of readdirSync(at('marks'))) rmSync(at('marks', mark))
  return { ran: end.stdout.length, changed }
}

layOut()
const dice = throwDice(Number(seed))
const rows = how === 'control' ? PLANTED : HARMLESS_ROWS
const absent = rows.filter(({ words }) => !isThere(words[0] ?? '')).map(({ words }) => words.join(' '))
const trials = rows
  .map((row) => ({
    name: row.words.join(' '),
    commands: Array.from({ length: Number(count) }, () => [...row.words, ...drawArguments(row, dice)]),
  }))
  .filter(({ name }) => !absent.includes(name))
const harm: Record<string, readonly string[]> = {}
const { ran, changed } = await runTrials(how === 'control' ? [] : trials)
// Only if something happened is it worth the time to find out whose doing it was.
for (const trial of how === 'control' || changed.length > 0 ? trials : []) {
  const own = await runTrials([trial])
  if (own.changed.length > 0)
    harm[trial.name] = [...own.changed, ...trial.commands.map((words) => JSON.stringify(words))]
}
if (changed.length > 0 && Object.keys(harm).length === 0) harm['together'] = changed
await bench.close()
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), rows: rows.length, ran, absent, harm }))
