import * as fs from 'node:fs'
import { join } from 'node:path'
import { run } from '../faults/command.ts'
import type { Command } from '../faults/command.ts'
import type { World } from '../faults/world/world.ts'

/** What the order of the system calls of a landing tells. */
export interface SyncOrder {
  /** Whether a file had been flushed when the commit was written. */
  readonly isSynced: (path: string) => boolean
  /** Whether the commit was flushed before the first name in the workspace changed. */
  readonly isCommitSynced: boolean
  /** How many names in the workspace changed. */
  readonly named: number
}

type Event =
  | { readonly is: 'synced' | 'named'; readonly path: string }
  | { readonly is: 'all synced' | 'commit' | 'commit synced' }

const TRACED = 'openat,fsync,fdatasync,syncfs,pwrite64,rename,link,unlink,symlink,mkdir,rmdir'
const JOURNAL = /\/journal\.db(-wal)?>/

/** Traces a command, and tells what was on the disk when it recorded its commit. */
export async function traceSyncs(world: World, command: Command): Promise<SyncOrder> {
  const log = join(world.top, 'syncs.log')
  const words = ['-qq', '-f', '--seccomp-bpf', '-y', '-s', '4096', '-o', log, '-e', `trace=${TRACED}`]
  const { code, stderr } = await run({ ...command, argv: ['strace', ...words, '--', ...command.argv] })
  if (code !== 0) throw new Error(`it ended with ${code}: ${stderr}`)
  const events = readEvents(fs.readFileSync(log, 'latin1'), world.root)
  const first = events.findIndex(({ is }) => is === 'named')
  const before = events.slice(0, first)
  const commit = before.findLastIndex(({ is }) => is === 'commit')
  const synced = before.slice(0, commit)
  return {
    isSynced: (path) =>
      synced.some((event) => event.is === 'all synced' || (event.is === 'synced' && event.path === path)),
    isCommitSynced: before.slice(commit).some(({ is }) => is === 'commit synced'),
    named: events.filter(({ is }) => is === 'named').length,
  }
}

/** What matters, in the order in which it was done. Only the traced process itself opens folders of the workspace. */
function readEvents(text: string, root: string): readonly Event[] {
  const unfinished = new Map<string, string>()
  const folders = new Map<string, string>()
  const lines = text.split('\n')
  const main = lines[0]?.split(' ')[0]
  return lines.flatMap((line): readonly Event[] => {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, rest.slice(0, rest.lastIndexOf('<unfinished')))
      return []
    }
    const call = rest.startsWith('<...') ? `${unfinished.get(thread) ?? ''}${rest}` : rest
    if (/ = -1 /.test(call)) return []
    const [, opened, path] = /^openat\(.* = (\d+)<(.*)>$/.exec(call) ?? []
    if (opened !== undefined && path !== undefined && thread === main) folders.set(opened, path)
    return eventsOf(call, (named) => thread === main && resolve(named, folders).startsWith(`${root}/`))
  })
}

function eventsOf(call: string, isOfRoot: (path: string) => boolean): readonly Event[] {
  const [, name = ''] = /^(\w+)\(/.exec(call) ?? []
  if (name === 'syncfs') return [{ is: 'all synced' }]
  if (name === 'pwrite64') return JOURNAL.test(call) ? [{ is: 'commit' }] : []
  if (name.endsWith('sync')) {
    if (JOURNAL.test(call)) return [{ is: 'commit synced' }]
    return [{ is: 'synced', path: /<(.*?)>/.exec(call)?.[1] ?? '' }]
  }
  if (name === 'openat' || name === '') return []
  const named = [...call.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '').find(isOfRoot)
  return named === undefined ? [] : [{ is: 'named', path: named }]
}

/** Names are given through open folders: `/proc/self/fd/21/name`. */
function resolve(named: string, folders: ReadonlyMap<string, string>): string {
  const [, fd = '', rest = ''] = /^\/proc\/(?:self|\d+)\/fd\/(\d+)(\/.*)?$/.exec(named) ?? []
  return fd === '' ? named : `${folders.get(fd) ?? ''}${rest}`
}
