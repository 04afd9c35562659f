import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { TOP } from '../../scripts/run-tool.ts'

/** What the figures of a run depend on. */
export interface Stamp {
  /** When the run began, to the minute. */
  readonly date: string
  readonly commit: string
  readonly machine: string
  /** How many processes wanted to run on average in the minute before. */
  readonly load: number
}

/** Says when, on which sources and on which machine is measured. */
export function readStamp(): Stamp {
  return {
    date: `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    commit: nameCommit(),
    machine: describeMachine(),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  }
}

function nameCommit(): string {
  const changed = git('status', '--porcelain', 'src', 'bench', 'bin', 'package.json')
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed === '' ? '' : ' with changes'}`
}

function git(...args: readonly string[]): string {
  return spawnSync('git', args, { cwd: TOP, encoding: 'utf8' }).stdout.trim()
}

function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  const processor = cpus()[0]?.model.trim() ?? ''
  const parts = [
    `${availableParallelism()} cores${processor === '' || processor === 'unknown' ? '' : ` (${processor})`}`,
    `${gigabytes} GB of memory`,
    `${process.platform === 'linux' ? 'Linux' : process.platform} ${release()}`,
    describeDisk(process.env['TONGS_BENCH_DIR'] ?? tmpdir()),
    `Node ${process.versions.node}`,
  ]
  return parts.join(', ')
}

/** The file system of a folder, and what it lies on. */
function describeDisk(folder: string): string {
  const type = spawnSync('findmnt', ['-no', 'FSTYPE', '-T', folder], { encoding: 'utf8' }).stdout
  const { dev } = statSync(folder)
  const block = join('/sys/dev/block', `${(dev >> 8) & 0xfff}:${dev & 0xff}`)
  const rotates = readFirst([join(block, 'queue/rotational'), join(block, '../queue/rotational')])
  const isVirtual = /^DEVNAME=vd/m.test(readFirst([join(block, 'uevent')]) ?? '')
  const kind = isVirtual ? 'a virtual disk' : rotates === '0' ? 'a solid-state disk' : 'a rotating disk'
  return `${type?.trim() ?? 'a file system'} on ${rotates === null ? 'no disk' : kind}`
}

function readFirst(files: readonly string[]): string | null {
  for (const file of files) {
    try {
      return readFileSync(file, 'utf8').trim()
    } catch {
      // Not there: the next one may be.
    }
  }
  return null
}
