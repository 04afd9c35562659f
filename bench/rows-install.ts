import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { APPS } from '../eval/runners/apps.ts'
import { peerFolder } from '../eval/runners/install-peer.ts'
import { OPENCODE_PACKAGE } from '../eval/runners/opencode.ts'
import { PI_PACKAGE } from '../eval/runners/pi.ts'
import { TOP } from '../scripts/run-tool.ts'
import { atMost, median, wallClock, withLimit } from './measure.ts'
import type { Row } from './measure.ts'

/** The packages of the peers by their names. */
const PACKAGES: Readonly<Record<string, string>> = { pi: PI_PACKAGE, opencode: OPENCODE_PACKAGE }
const STARTS = 7
const MEGABYTE = 1024 ** 2
/** Nothing is compiled yet at a first start, and the state folder is made. */
const FIRST_START = 2.5
/** What a checkout has and a package is not made from. */
const LEFT = new Set([
  '.git',
  '.vitest',
  '.laboratory',
  'node_modules',
  'dist',
  'bench',
  'eval',
  'test',
  'docs',
])

/** Row 26: what an installation takes with its production dependencies alone, against two agents, and its first start. */
export async function installRows(): Promise<readonly Row[]> {
  const box = mkdtempSync(join(tmpdir(), 'tongs-install-'))
  try {
    const app = install(box)
    const ours = measureFolder(join(app, 'node_modules'))
    const peers = [APPS.pi, APPS.opencode].map(({ runner }) => {
      const version = runner.prepare()
      const folder = join(peerFolder(PACKAGES[runner.name] ?? '', version), 'node_modules')
      return { name: runner.name, ...measureFolder(folder) }
    })
    const { first, second } = timeStarts(app, box)
    return [
      ...peers.map(({ name, bytes }) =>
        atMost(
          `26 size of an installation, against ${name}`,
          ours.bytes / MEGABYTE,
          bytes / MEGABYTE,
          'MB',
          1,
        ),
      ),
      ...peers.map(({ name, packages }) =>
        withLimit(
          atMost(`26 packages of an installation, against ${name}`, ours.packages, packages, 'packages', 1),
          'a program that is compiled into one file carries its packages inside of it',
        ),
      ),
      atMost(
        '26 first start of an installation, against its second: a call of read_file',
        first,
        second,
        'ms',
        FIRST_START,
      ),
    ]
  } finally {
    rmSync(box, { recursive: true, force: true })
  }
}

/** Packs a copy, so that the checkout stays as it is, and installs it as anyone would. */
function install(box: string): string {
  const copy = join(box, 'copy')
  for (const name of readdirSync(TOP))
    if (!LEFT.has(name)) cpSync(join(TOP, name), join(copy, name), { recursive: true })
  symlinkSync(join(TOP, 'node_modules'), join(copy, 'node_modules'))
  run('npm', ['pack', '--silent', '--pack-destination', box], copy)
  const packed = readdirSync(box).find((name) => name.endsWith('.tgz'))
  if (packed === undefined) throw new Error('npm pack made nothing')
  const app = join(box, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{"private":true}\n')
  writeFileSync(join(app, 'a.txt'), 'a\n')
  run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', join(box, packed)], app)
  return app
}

function run(program: string, args: readonly string[], cwd: string): void {
  const end = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (end.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${end.stdout}${end.stderr}`)
}

/** The milliseconds of a first and of a second start, each first one with a home of its own. */
function timeStarts(app: string, box: string): { readonly first: number; readonly second: number } {
  const times = { first: [] as number[], second: [] as number[] }
  for (let turn = 0; turn < STARTS; turn++) {
    const home = join(box, `home${turn}`)
    mkdirSync(home)
    for (const which of ['first', 'second'] as const) {
      const begun = wallClock()
      const args = ['call', 'read_file', '{"path":"a.txt"}', '--root', app]
      const end = spawnSync(join(app, 'node_modules/.bin/tongs'), args, {
        cwd: app,
        env: { PATH: process.env['PATH'], HOME: home },
      })
      if (end.status !== 0) throw new Error(`the installation does not start: ${String(end.stderr)}`)
      times[which].push((wallClock() - begun) / 1000)
    }
  }
  return { first: median(times.first), second: median(times.second) }
}

/** The bytes of all files below a folder, of one with several names once, and how many packages it holds. */
export function measureFolder(folder: string): { readonly bytes: number; readonly packages: number } {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = new Map(
    files.map((entry) => {
      const { ino, size } = lstatSync(join(entry.parentPath, entry.name))
      return [ino, size]
    }),
  )
  const bytes = sizes.values().reduce((sum, size) => sum + size, 0)
  const packages = entries.filter(
    (entry) =>
      entry.isDirectory() &&
      /\/node_modules(?:\/@[^/]+)?$/.test(entry.parentPath) &&
      existsSync(join(entry.parentPath, entry.name, 'package.json')),
  )
  return { bytes, packages: packages.length }
}
