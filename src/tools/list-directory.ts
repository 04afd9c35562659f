import { showPath } from '../core/text/display/show-path.ts'
import { settingsOf } from '../config/keys.ts'
import type { Settings } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import type { WalkEntry, WalkStep } from '../core/powers.ts'
import { array, boolean, integer, nullable, object, oneOf, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { compareCodePoints } from '../core/text/compare.ts'
import { readingTool } from './define/tool-families.ts'
import { fitList } from './reading/fit-list.ts'

const input = object(
  {
    path: string('The folder, relative to the root, which itself is .'),
    recursive: optional(boolean('Go into folders below', { default: false })),
    max_depth: optional(integer('How many levels to go down; only with recursive', { minimum: 1 })),
    max_entries: optional(integer('Return at most this many entries', { minimum: 1 })),
    include_hidden: optional(boolean('Include names that begin with a dot', { default: false })),
    include_files: optional(boolean('Include regular files', { default: true })),
    include_dirs: optional(boolean('Include folders', { default: true })),
    include_symlinks: optional(boolean('Include symbolic links; they are never followed', { default: true })),
    include_other: optional(boolean('Include sockets, pipes and devices', { default: false })),
  },
  'Which folder to list, and what to show of it',
)

const ERROR_CODES = [
  'metadata_unavailable',
  'permission_denied',
  'read_dir_failed',
  'io_error',
  'unknown',
] as const

const entry = object(
  {
    name: string('Last part of the path'),
    path: string('Path relative to the listed folder, with forward slashes'),
    depth: integer('Levels below the listed folder; its own entries are 1'),
    type: oneOf(
      ['file', 'dir', 'symlink', 'other', 'unknown'],
      'What kind of entry it is, links not followed',
    ),
    size_bytes: nullable(integer('Size of a regular file, otherwise null')),
    modified_epoch_ms: nullable(integer('Time of the last change in epoch milliseconds, null if not known')),
    is_hidden: boolean('Whether the name begins with a dot'),
    error_code: nullable(oneOf(ERROR_CODES, 'Why the entry is unknown, otherwise null')),
    error: nullable(string('The same in words')),
  },
  'One entry',
)

const output = object(
  {
    path: string('The folder as asked for, normalised'),
    entries: array(entry, 'The entries, sorted by path'),
    returned: integer('Number of entries returned'),
    max_entries: integer('The limit that applied'),
    truncated: boolean('Whether there were more entries'),
    truncated_reason: nullable(
      oneOf(['max_entries', 'max_output_bytes'], 'Which limit cut the list, otherwise null'),
    ),
  },
  'A folder listing',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>
type Entry = Infer<typeof entry>

/** Lists a folder. */
export const listDirectory = defineTool({
  name: 'list_directory',
  version: '1.0.0',
  description: 'List directory entries',
  ...readingTool,
  input,
  output,
  slips: { names: { directory: 'path', dir: 'path', folder: 'path' } },
  deterministic: true,
  check: (args, settings) => findArgumentFault(args, settingsOf(settings)),
  claims: ({ path }) => [{ path: path.trim(), intent: 'list' }],
  rebase: (args, move) => ({ ...args, path: move(args.path.trim()) }),
  present: { text: (result) => JSON.stringify(result), isFixed: true, mayTruncate: false },
  summary: ({ path, recursive, max_depth }, settings) => {
    const depth = recursive === true ? (max_depth ?? settings['tools.list_directory.max_depth']) : 1
    return `List ${showPath(path.trim())}${typeof depth === 'number' ? ` [depth ${depth}]` : ''}`
  },
  run(args, { files, settings, maxOutputBytes }): Result {
    const request = resolveRequest(args, settingsOf(settings))
    const listed: Entry[] = []
    let isMore = false
    let isLastListed = false
    const add = (met: WalkEntry): WalkStep => {
      isMore = listed.length === request.maxEntries
      if (isMore) return 'stop'
      listed.push(shapeEntry(met))
      isLastListed = true
      return met.depth < request.maxDepth ? 'enter' : 'pass'
    }
    files.walk(args.path.trim(), (met) => {
      // An unreadable folder is visited a second time, right after itself; the failure then replaces its row.
      if (met.fault !== null && isLastListed) listed.pop()
      isLastListed = false
      if (met.name.startsWith('.') && !request.hidden) return 'pass'
      if (request.shows(met)) return add(met)
      return met.depth < request.maxDepth ? 'enter' : 'pass'
    })
    listed.sort((a, b) => compareCodePoints(a.path, b.path))
    return fitList(listed, maxOutputBytes, (entries, isShortened) => {
      const reason = isShortened ? 'max_output_bytes' : isMore ? 'max_entries' : null
      return shapeResult(normalisePath(args.path), entries, request.maxEntries, reason)
    })
  },
})

interface ListRequest {
  readonly maxDepth: number
  readonly maxEntries: number
  readonly hidden: boolean
  readonly shows: (met: WalkEntry) => boolean
}

function resolveFlags(args: Args, settings: Settings) {
  return {
    file: args.include_files ?? settings['tools.list_directory.include_files_default'],
    dir: args.include_dirs ?? settings['tools.list_directory.include_dirs_default'],
    symlink: args.include_symlinks ?? settings['tools.list_directory.include_symlinks_default'],
    other: args.include_other ?? settings['tools.list_directory.include_other_default'],
    unknown: true,
  }
}

function resolveRequest(args: Args, settings: Settings): ListRequest {
  const flags = resolveFlags(args, settings)
  return {
    maxDepth: args.recursive === true ? (args.max_depth ?? settings['tools.list_directory.max_depth']) : 1,
    maxEntries: args.max_entries ?? settings['tools.list_directory.max_entries'],
    hidden: args.include_hidden ?? settings['tools.list_directory.include_hidden_default'],
    shows: (met) => flags[met.kind],
  }
}

function findArgumentFault(args: Args, settings: Settings): string | null {
  if (args.path.trim() === '') return 'path must not be empty; use "." for the root'
  const isRecursive = args.recursive === true
  const depthCap = settings['tools.list_directory.max_depth']
  const entryCap = settings['tools.list_directory.max_entries']
  if (!isRecursive && args.max_depth !== undefined && args.max_depth !== 1) {
    return `max_depth ${args.max_depth} needs recursive: true; add it, or leave max_depth out`
  }
  if (isRecursive && args.max_depth !== undefined && args.max_depth > depthCap) {
    return `max_depth ${args.max_depth} is over the limit of ${depthCap}; list a folder further down to see deeper`
  }
  if (args.max_entries !== undefined && args.max_entries > entryCap) {
    return `max_entries ${args.max_entries} is over the limit of ${entryCap}; list smaller folders, or leave it out`
  }
  const { file, dir, symlink } = resolveFlags(args, settings)
  return file || dir || symlink
    ? null
    : 'at least one of include_files, include_dirs and include_symlinks must be true'
}

function shapeEntry(met: WalkEntry): Entry {
  const known = met.fault ?? met.stat()
  const isFault = 'fault' in known
  const modifiedMs = isFault ? null : Math.floor(known.modifiedMs)
  return {
    name: met.name,
    path: met.path,
    depth: met.depth,
    type: isFault ? 'unknown' : known.kind,
    size_bytes: !isFault && known.kind === 'file' ? known.size : null,
    modified_epoch_ms: Number.isSafeInteger(modifiedMs) ? modifiedMs : null,
    is_hidden: met.name.startsWith('.'),
    error_code: isFault ? known.fault : null,
    error: isFault ? known.message : null,
  }
}

function shapeResult(
  path: string,
  entries: readonly Entry[],
  maxEntries: number,
  reason: Result['truncated_reason'],
): Result {
  return {
    path,
    entries,
    returned: entries.length,
    max_entries: maxEntries,
    truncated: reason !== null,
    truncated_reason: reason,
  }
}

/** The requested path, normalized: no surrounding blanks, no `./`, no repeated or trailing slash. */
export function normalisePath(path: string): string {
  const trimmed = path.trim()
  const parts = trimmed.split('/').filter((part) => part !== '' && part !== '.')
  const tidy = parts.join('/')
  if (trimmed.startsWith('/')) return `/${tidy}`
  return tidy === '' ? '.' : tidy
}
