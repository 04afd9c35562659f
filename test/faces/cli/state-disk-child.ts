import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { main } from '../../../src/faces/cli/main.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

/** What a command came to. */
interface End {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const [, , top = '', scene = ''] = process.argv
const root = join(top, 'root')
const disk = join(top, 'disk')
const stateDir = join(disk, 'state')

/** Runs a command in this process, where it costs next to nothing; each opens and closes the journal. */
async function tongs(...words: readonly string[]): Promise<End> {
  const said = { out: '', err: '' }
  const { stdout, stderr } = process
  const [print, warn] = [stdout.write, stderr.write]
  stdout.write = (chunk: string | Uint8Array) => ((said.out += String(chunk)), true)
  stderr.write = (chunk: string | Uint8Array) => ((said.err += String(chunk)), true)
  try {
    return { code: await main([...words, '--root', root, '--no-input']), ...said }
  } finally {
    stdout.write = print
    stderr.write = warn
  }
}

function call(tool: string, args: unknown): Promise<End> {
  const file = join(top, 'batch.json')
  writeFileSync(file, JSON.stringify([{ id: tool, name: tool, args }]))
  return tongs('batch', file, '--json', '--yes')
}

const write = (name: string, content: string): Promise<End> => call('write_file', { path: name, content })

/** Content that is never the same twice. */
const noise = (name: string, bytes: number): string =>
  `${name}\n`.repeat(Math.ceil(bytes / (name.length + 1)))

function require(end: End): End {
  if (end.code !== 0) throw new Error(JSON.stringify(end))
  return end
}

const mount = (...words: readonly string[]): unknown => execFileSync('mount', words)

/** Takes what is left of the disk, to the last byte. */
function fillUp(): void {
  const filler = join(disk, 'filler')
  for (const bytes of [65_536, 1024, 1]) {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(bytes))
    } catch {
      // That much does not fit any more.
    }
  }
}

const READING: readonly (readonly string[])[] = [
  ['log'],
  ['log', '--last', '1'],
  ['pending'],
  ['stats'],
  ['tasks'],
  ['grants'],
  ['recover'],
  ['undo', '--dry-run'],
  ['audit', 'verify'],
  ['audit', 'export'],
]

/** Every command that reads, and `why` for the first call there is. */
async function readAll(): Promise<Readonly<Record<string, End>>> {
  const calls = (await tongs('log', '--json')).out.split('\n')
  const settled = calls.find((line) => line.includes('"kind":"settled"')) ?? '{}'
  const { execution = 'none' } = JSON.parse(settled) as { readonly execution?: string }
  const ends: Record<string, End> = { why: await tongs('why', execution) }
  for (const words of READING) ends[words.join(' ')] = await tongs(...words)
  return ends
}

/** A full disk: filled by the journal itself, or by another program while no command runs. */
async function fill(byWhom: string): Promise<unknown> {
  mount('-t', 'tmpfs', '-o', 'size=12m,mode=700', 'tmpfs', disk)
  require(await write('first.txt', 'first\n'))
  const written: string[] = []
  let refused: End | null = null
  const most = byWhom === 'the journal' ? 60 : 0
  while (refused === null && written.length < most) {
    const name = `f${written.length}.txt`
    const end = await write(name, noise(name, 400_000))
    if (end.code === 0) written.push(name)
    else refused = end
  }
  for (const name of ['a.txt', 'b.txt'])
    if (byWhom !== 'the journal') require(await write(name, noise(name, 400_000)))
  if (byWhom === 'another program') fillUp()
  const command = await call('run_command', { command: 'touch ran' })
  const seen = {
    written,
    refused,
    files: readdirSync(root),
    command,
    hasRun: existsSync(join(root, 'ran')),
    reading: await readAll(),
    young: await tongs('forget', '--older-than', '30'),
    forgotten: await tongs('forget', '--older-than', '0'),
    next: await write('next.txt', 'next\n'),
    verified: await tongs('audit', 'verify'),
  }
  return { ...seen, hasReserve: existsSync(join(stateDir, 'reserve')) }
}

/** A state folder that can only be read; with or without a log that was not moved into the database. */
async function protect(how: string): Promise<unknown> {
  require(await write('a.txt', 'one\n'))
  const before = await readAll()
  if (how === 'mounted read-only') {
    mount('--bind', disk, disk)
    mount('-o', 'remount,ro,bind', disk)
  } else {
    for (const folder of ['.', 'anchors', 'locks']) chmodSync(join(stateDir, folder), 0o500)
    for (const name of ['journal.db', 'journal.db-wal', 'journal.db-shm'])
      if (existsSync(join(stateDir, name))) chmodSync(join(stateDir, name), 0o400)
  }
  const look = (): readonly string[] =>
    readdirSync(stateDir, { recursive: true })
      .map((name) => `${String(name)} ${statSync(join(stateDir, String(name))).mtimeMs}`)
      .filter((line) => !line.startsWith('compile-cache'))
  const untouched = look()
  const seen = {
    before,
    reading: await readAll(),
    write: await write('b.txt', 'two\n'),
    command: await call('run_command', { command: 'touch ran' }),
    undo: await tongs('undo', '--yes'),
    forget: await tongs('forget', '--older-than', '0'),
    repair: await tongs('repair'),
    files: readdirSync(root),
  }
  return {
    ...seen,
    isUntouched: JSON.stringify(look()) === JSON.stringify(untouched),
    left: readdirSync(join(top, 'tmp')),
  }
}

const [kind, how = ''] = scene.split(': ')
if (how === 'without permission') becomeOrdinary()
for (const folder of [root, disk, join(top, 'tmp')]) mkdirSync(folder, { recursive: true })
Object.assign(process.env, {
  TONGS_STATE_DIR: stateDir,
  HOME: top,
  XDG_CONFIG_HOME: join(top, 'config'),
  TMPDIR: join(top, 'tmp'),
})
const seen = await (kind === 'full' ? fill(how) : protect(how))
process.stdout.write(JSON.stringify(seen))
rmSync(join(top, 'batch.json'), { force: true })
