import { settingsOf } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import { startGlobs } from '../core/glob/walk.ts'
import type { GlobPlace } from '../core/glob/walk.ts'
import { array, boolean, integer, object, optional, string } from '../schema/schema.ts'
import { readingTool } from './define/tool-families.ts'
import { fileRow, foundFiles, listRows } from './finding/found-files.ts'
import type { FileRow } from './finding/found-files.ts'
import {
  claimPatterns,
  findPatternFault,
  groupByBase,
  movePattern,
  parseAlternatives,
} from './finding/path-patterns.ts'
import { renderFileNames } from './rendering/file-rows.ts'
import { createIgnoreNotes } from './finding/ignore-notes.ts'
import { walkFiles } from './finding/walk-files.ts'
import type { FoundFile, Scope } from './finding/walk-files.ts'

const input = object(
  {
    patterns: array(
      string('Such as src/**/*.ts; * stays within a name, ** crosses folders', {
        minLength: 1,
      }),
      'Patterns, any of which may match',
      { minItems: 1, maxItems: 100 },
    ),
    max_results: optional(integer('At most this many', { minimum: 1, maximum: 100_000 })),
    include_hidden: optional(boolean('Let wildcards match names that begin with a dot', { default: false })),
  },
  'What to look for',
)

/** Finds files by pattern. */
export const glob = defineTool({
  name: 'glob',
  version: '1.0.0',
  description:
    'Find files by glob patterns; ignored files, .git and node_modules only if a pattern begins with them',
  ...readingTool,
  input,
  output: foundFiles,
  rare: ['max_results', 'include_hidden'],
  slips: { names: { pattern: 'patterns', glob: 'patterns' }, tool: ['find', 'find_files', 'file_search'] },
  deterministic: true,
  check: ({ patterns }) => findPatternFault('patterns', patterns),
  claims: ({ patterns }) => claimPatterns(patterns),
  rebase: (args, move) => ({ ...args, patterns: args.patterns.map((pattern) => movePattern(pattern, move)) }),
  summary: ({ patterns }) => `Find files like ${patterns.join(', ')}`,
  present: {
    text: renderFileNames,
    mayTruncate: false,
  },
  async run(args, { files, settings: view, maxOutputBytes, signal }) {
    const settings = settingsOf(view)
    const maxResults = args.max_results ?? settings['tools.glob.max_results']
    const dot = args.include_hidden === true
    const budget = { left: settings['tools.walk.max_entries'] }
    const rows: FileRow[] = []
    const notes = createIgnoreNotes()
    const addRow = (file: FoundFile): boolean => {
      const row = fileRow(file)
      if (row !== null) rows.push(row)
      return row !== null
    }
    let isCut = false
    for (const { base, rests } of groupByBase(parseAlternatives(args.patterns))) {
      const target = files.follow(base === '' ? '.' : base)
      const open = rests.filter((rest) => rest.length > 0)
      // A path without wildcards is not searched for: it exists or it does not.
      if (target?.kind === 'file' && open.length < rests.length) addRow({ path: base, stat: () => target })
      if (target?.kind !== 'dir' || open.length === 0) continue
      let left = maxResults + 1
      const request = {
        start: base,
        scope: scopeAt(startGlobs(open, { dot })),
        maxDepth: Number.POSITIVE_INFINITY,
        followLinks: false,
        patterns: settings['tools.ignore.patterns'],
        budget,
        signal,
        notes,
      }
      const isAll = await walkFiles(files, request, (file) => !addRow(file) || --left > 0)
      isCut ||= !isAll && budget.left < 0
    }
    return listRows(rows, { maxResults, maxBytes: maxOutputBytes, isCut }, notes)
  },
})

function scopeAt(place: GlobPlace): Scope {
  return {
    includes: (name) => place.enter(name).isMatch,
    enter: (name) => {
      const below = place.enter(name)
      return below.isOpen ? scopeAt(below) : null
    },
  }
}
