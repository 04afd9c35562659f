import { settingsOf } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import type { Files } from '../core/powers.ts'
import { boolean, integer, object, optional, string } from '../schema/schema.ts'
import { readingTool } from './define/tool-families.ts'
import { fileRow, foundFiles, listRows } from './finding/found-files.ts'
import type { FileRow } from './finding/found-files.ts'
import { createIgnoreNotes } from './finding/ignore-notes.ts'
import { walkFiles } from './finding/walk-files.ts'
import type { Scope } from './finding/walk-files.ts'

const input = object(
  {
    directory: optional(string('The folder, relative to the root; the root if left out', { minLength: 1 })),
    max_depth: optional(
      integer('How many levels to go down; 1 lists only what is in the folder itself', {
        minimum: 1,
        maximum: 1_000,
      }),
    ),
    include_hidden: optional(boolean('Include names that begin with a dot', { default: false })),
    follow_symlinks: optional(
      boolean('Follow links whose target is inside the root; others are never listed', { default: false }),
    ),
  },
  'Which folder to list, and how deep',
)

const ROOT = '.'

/** Lists the files below a folder. */
export const listFiles = defineTool({
  name: 'list_files',
  version: '1.0.0',
  description:
    'List the files below a folder with size and time of change, leaving out what ignore files name, .git and node_modules',
  ...readingTool,
  input,
  output: foundFiles,
  deterministic: true,
  claims: ({ directory = ROOT }) => [{ path: directory, intent: 'list' }],
  rebase: (args, move) => ({ ...args, directory: move(args.directory ?? ROOT) }),
  summary: ({ directory = ROOT, max_depth }) =>
    `List files in ${directory}${max_depth === undefined ? '' : ` [depth ${max_depth}]`}`,
  async run(args, { files, settings: view, maxOutputBytes, signal }) {
    const settings = settingsOf(view)
    const maxResults = settings['tools.list_files.max_results']
    const rows: FileRow[] = []
    const notes = createIgnoreNotes()
    const request = {
      start: tidy(args.directory ?? ROOT, files),
      scope: args.include_hidden === true ? EVERYTHING : VISIBLE,
      maxDepth: args.max_depth ?? settings['tools.list_files.max_depth'],
      followLinks: args.follow_symlinks === true,
      patterns: settings['tools.ignore.patterns'],
      budget: { left: settings['tools.walk.max_entries'] },
      signal,
      notes,
    }
    const isAll = await walkFiles(files, request, (file) => {
      const row = fileRow(file)
      if (row !== null) rows.push(row)
      return rows.length <= maxResults
    })
    return listRows(rows, { maxResults, maxBytes: maxOutputBytes, isCut: !isAll }, notes)
  },
})

const EVERYTHING: Scope = { includes: () => true, enter: () => EVERYTHING }

const VISIBLE: Scope = {
  includes: (name) => !name.startsWith('.'),
  enter: (name) => (name.startsWith('.') ? null : VISIBLE),
}

/** The folder as the prefix of every path: '' for the root. */
function tidy(directory: string, files: Files): string {
  const path = directory.startsWith('/') ? (files.follow(directory)?.path ?? directory) : directory
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return path.startsWith('/') ? `/${parts.join('/')}` : parts.join('/')
}
