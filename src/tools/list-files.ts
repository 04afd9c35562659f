import { showPath } from '../core/text/display/show-path.ts'
import { settingsOf } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import type { Files } from '../core/powers.ts'
import { array, boolean, integer, nullable, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { compareCodePoints } from '../core/text/compare.ts'
import { readingTool } from './define/tool-families.ts'
import { fileRow, foundFields, ignoreNotes } from './finding/found-files.ts'
import type { FileRow } from './finding/found-files.ts'
import { fitList } from './reading/fit-list.ts'
import { renderTree } from './rendering/tree-text.ts'
import { createIgnoreNotes } from './finding/ignore-notes.ts'
import { walkLevels } from './finding/walk-levels.ts'
import type { MetFolder } from './finding/walk-levels.ts'
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
    sizes: optional(boolean('Show the size of each file', { default: false })),
    include_hidden: optional(boolean('Include names that begin with a dot', { default: false })),
    follow_symlinks: optional(
      boolean('Follow links whose target is inside the root; others are never listed', { default: false }),
    ),
  },
  'Which folder to list, and how deep',
)

const ROOT = '.'

const output = object(
  {
    directory: string('The folder, relative to the root; empty for the root itself'),
    files: foundFields.files,
    folders: array(
      object(
        {
          path: string('Path relative to the root, with forward slashes'),
          entries: nullable(integer('How many entries it holds directly; null if they were not counted')),
          ignored: boolean('Whether it was left out because an ignore file or setting names it'),
        },
        'One folder',
      ),
      'The folders that were met, sorted by path',
    ),
    sizes: optional(boolean('Whether sizes were asked for')),
    truncated: foundFields.truncated,
    notes: ignoreNotes,
  },
  'The files that were found',
)

type Result = Infer<typeof output>

/** Lists the files below a folder. */
export const listFiles = defineTool({
  name: 'list_files',
  version: '1.1.0',
  description:
    'List files and folders below a folder, level by level; ignored folders, .git and node_modules are only counted',
  ...readingTool,
  input,
  output,
  slips: {
    names: { path: 'directory', dir: 'directory', folder: 'directory', depth: 'max_depth' },
    tool: ['ls', 'tree', 'list', 'list_dir', 'dir'],
  },
  rare: ['follow_symlinks', 'include_hidden'],
  deterministic: true,
  claims: ({ directory = ROOT }) => [{ path: directory, intent: 'list' }],
  rebase: (args, move) => ({ ...args, directory: move(args.directory ?? ROOT) }),
  summary: ({ directory = ROOT, max_depth }) =>
    `List files in ${showPath(directory)}${max_depth === undefined ? '' : ` [depth ${max_depth}]`}`,
  present: { text: renderTree, mayTruncate: false },
  async run(args, { files, settings: view, maxOutputBytes, signal }): Promise<Result> {
    const settings = settingsOf(view)
    const maxResults = settings['tools.list_files.max_results']
    const rows: FileRow[] = []
    const notes = createIgnoreNotes()
    const directory = tidy(args.directory ?? ROOT, files)
    const request = {
      start: directory,
      scope: args.include_hidden === true ? EVERYTHING : VISIBLE,
      maxDepth: args.max_depth ?? settings['tools.list_files.max_depth'],
      followLinks: args.follow_symlinks === true,
      patterns: settings['tools.ignore.patterns'],
      budget: { left: settings['tools.walk.max_entries'] },
      signal,
      notes,
    }
    const { folders, isAll } = await walkLevels(files, request, (file) => {
      const row = fileRow(file)
      if (row !== null) rows.push(row)
      return rows.length <= maxResults
    })
    const isCut = !isAll || rows.length > maxResults
    // The rows come level by level, so what does not fit is farthest from the top.
    const met = mergeByDepth(folders, rows.slice(0, maxResults))
    return fitList(met, maxOutputBytes, (fitting, isShortened) => ({
      directory,
      files: byPath(fitting.flatMap((row) => ('ignored' in row ? [] : [row]))),
      folders: byPath(fitting.flatMap((row) => ('ignored' in row ? [row] : []))),
      ...(args.sizes === true ? { sizes: true } : {}),
      truncated: isCut || isShortened,
      ...notes.field(),
    }))
  },
})

function mergeByDepth(
  folders: readonly MetFolder[],
  rows: readonly FileRow[],
): readonly (MetFolder | FileRow)[] {
  return [...folders, ...rows].toSorted(
    (a, b) => depthOf(a) - depthOf(b) || compareCodePoints(a.path, b.path),
  )
}

function depthOf({ path }: { readonly path: string }): number {
  return path.split('/').length
}

function byPath<Row extends { readonly path: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => compareCodePoints(a.path, b.path))
}

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
