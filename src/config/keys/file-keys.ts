import { list, wordByExtension, wordsFor } from '../kinds/collection-kinds.ts'
import { boolean, choice, integer, number } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

const bytes = integer({ min: 1, max: 1024 ** 3, tighter: 'lower' })
const results = integer({ min: 1, max: 100_000, tighter: 'lower' })

/** The tools that read, list, search and change files. */
export const fileKeys = {
  'tools.read_file.max_file_read_bytes': key(bytes, {
    default: 204_800,
    unit: 'bytes',
    ids: ['CFG-READ-01', 'FR-TOOL-READ-01'],
    description: 'The largest text file that is read whole; a larger one needs a range of lines.',
  }),
  'tools.read_file.max_scan_bytes': key(bytes, {
    default: 2_097_152,
    unit: 'bytes',
    ids: ['CFG-READ-01', 'FR-LIM-05', 'FR-TOOL-READ-01a'],
    description: 'How much text is scanned to find the last line of a range.',
  }),
  'tools.read_file.over_limit': key(choice(['beginning', 'refuse']), {
    default: 'beginning',
    strict: 'refuse',
    description:
      'What `read_file` does with a text file over the read limit if the call gives no range: return the first lines that fit and where to go on, or refuse.',
  }),
  'tools.read_file.binary': key(choice(['base64', 'refuse']), {
    default: 'base64',
    ids: ['FR-TOOL-READ-01'],
    description: 'Whether a binary file comes as base64, or not at all.',
  }),
  'tools.read_file.name_encodings': key(boolean('false'), {
    default: true,
    strict: false,
    description:
      'Whether `read_file` says of a binary file that it looks like text in another encoding, and which call shows it.',
  }),
  'tools.edit.max_file_bytes': key(bytes, {
    default: 8_388_608,
    unit: 'bytes',
    description: 'The largest file that can be edited, whatever the limits on reading are.',
  }),
  'tools.edit.stale_shown_bytes': key(integer({ min: 0, max: 1024 ** 2, tighter: 'lower' }), {
    default: 16_384,
    unit: 'bytes',
    description:
      'If a file changed since it was read and is no larger than this, the refusal shows all of it.',
  }),
  'tools.edit.syntax_check': key(wordByExtension(['off', 'warn', 'refuse'], 'warn'), {
    default: wordsFor({ el: 'refuse', json: 'refuse', toml: 'refuse' }),
    ids: ['F-SAFE-PAREN'],
    description:
      'What happens to an edit that breaks the syntax of a file, by extension: it is refused, gets a warning, or is not checked; other extensions get a warning.',
  }),
  'tools.edit.syntax_check_max_bytes': key(integer({ min: 0, max: 1024 ** 3, tighter: 'higher' }), {
    default: 1_048_576,
    unit: 'bytes',
    description: 'The largest file whose syntax is checked.',
  }),
  // Without it a crash may leave half of a batch, with it an edit builds on one that is not there yet: neither is for a project to say.
  'tools.edit.group': key(boolean('never'), {
    default: true,
    strict: false,
    description:
      'Whether neighbouring edits of one batch are staged one on the other and committed together: one sync for all of them, and after a crash all of them or none.',
  }),
  'tools.edit.max_tree_files': key(integer({ min: 1, max: 1_000_000, tighter: 'lower' }), {
    default: 2_000,
    unit: 'entries',
    description:
      'How many files a folder may contain that one call moves or deletes, and how many files `replace` changes at most.',
  }),
  'tools.git.warn': key(boolean('true'), {
    default: true,
    ids: ['F-SAFE-GIT'],
    description: 'Whether editing a file with uncommitted changes from elsewhere gives a warning.',
  }),
  'tools.git.stage': key(boolean('false'), {
    default: false,
    ids: ['F-SAFE-GIT'],
    description: 'Whether files that an edit changed are added to the git index afterwards.',
  }),
  'tools.git.timeout_seconds': key(number({ min: 0.1, max: 600, tighter: 'never' }), {
    default: 5,
    unit: 'seconds',
    description:
      'How long git may take to answer; without an answer, what is unknown is said, and nothing is staged.',
  }),
  'tools.apply_patch.max_patch_bytes': key(bytes, {
    default: 524_288,
    unit: 'bytes',
    ids: ['CFG-PATCH-01', 'FR-LIM-04'],
    description: 'The largest patch.',
  }),
  'tools.apply_patch.strict_eol': key(boolean('true'), {
    default: false,
    description:
      'Whether a file with mixed line endings is refused instead of patched with its endings unchanged.',
  }),
  'tools.write_file.max_content_bytes': key(bytes, {
    default: 524_288,
    unit: 'bytes',
    description: 'The largest content that is written in one call.',
  }),
  'tools.write_file.create_only': key(boolean('true'), {
    default: false,
    strict: true,
    ids: ['FR-WR-03'],
    description: 'Whether only new files may be written, never existing ones.',
  }),
  'tools.list_directory.max_entries': key(integer({ min: 1, max: 1_000_000, tighter: 'lower' }), {
    default: 200,
    unit: 'entries',
    ids: ['CFG-LD-01', 'CFG-LD-02', 'CFG-LD-05'],
    description: 'How many entries a listing may have, and the default of a call.',
  }),
  'tools.list_directory.max_depth': key(integer({ min: 1, max: 1_000, tighter: 'lower' }), {
    default: 4,
    unit: 'levels',
    ids: ['CFG-LD-01', 'CFG-LD-03', 'CFG-LD-05'],
    description: 'How deep a recursive listing may go, and the default of a call.',
  }),
  'tools.list_directory.include_hidden_default': key(boolean('false'), {
    default: false,
    ids: ['CFG-LD-04', 'CFG-LD-05'],
    description: 'Whether names that begin with a dot are listed when the call does not say.',
  }),
  'tools.list_directory.include_symlinks_default': key(boolean('false'), {
    default: true,
    ids: ['CFG-LD-04', 'CFG-LD-05'],
    description: 'Whether symbolic links are listed when the call does not say.',
  }),
  'tools.list_directory.include_files_default': key(boolean('false'), {
    default: true,
    ids: ['CFG-LD-04', 'CFG-LD-05'],
    description: 'Whether files are listed when the call does not say.',
  }),
  'tools.list_directory.include_dirs_default': key(boolean('false'), {
    default: true,
    ids: ['CFG-LD-04', 'CFG-LD-05'],
    description: 'Whether folders are listed when the call does not say.',
  }),
  'tools.list_directory.include_other_default': key(boolean('false'), {
    default: false,
    ids: ['CFG-LD-04', 'CFG-LD-05'],
    description: 'Whether sockets, devices and the like are listed when the call does not say.',
  }),
  'tools.ignore.patterns': key(list({ tighter: 'add' }), {
    default: ['.git', 'node_modules'],
    ids: ['F-SAFE-IGNORE', 'F-CUSTOM'],
    description:
      'What `list_files`, `glob` and `search` leave out in addition to ignore files, in the syntax of those files.',
  }),
  'tools.walk.max_entries': key(integer({ min: 1, max: 100_000_000, tighter: 'lower' }), {
    default: 500_000,
    unit: 'entries',
    ids: ['F-TOOL-list_files', 'F-TOOL-glob', 'F-CUSTOM'],
    description:
      'How many names `list_files`, `glob` and the built-in search visit before they stop and report that there may be more; `replace` then changes nothing. A name that very many long ignore patterns are held against counts as several.',
  }),
  'tools.list_files.max_depth': key(integer({ min: 1, max: 1_000, tighter: 'lower' }), {
    default: 5,
    unit: 'levels',
    ids: ['F-TOOL-list_files', 'F-CUSTOM'],
    description: 'How deep `list_files` goes when the call does not say.',
  }),
  'tools.list_files.max_results': key(results, {
    default: 1_000,
    unit: 'entries',
    ids: ['F-TOOL-list_files', 'F-CUSTOM'],
    description: 'How many files `list_files` returns.',
  }),
  'tools.glob.max_results': key(results, {
    default: 1_000,
    unit: 'entries',
    ids: ['F-TOOL-glob', 'F-CUSTOM'],
    description: 'How many files `glob` returns when the call does not say.',
  }),
  'tools.search.counts_as_read': key(boolean('false'), {
    default: true,
    strict: false,
    description:
      'Whether lines that `search` showed may be changed by `edit_file`, `edit_region` and `multi_edit` without reading the file, as long as they still read the same.',
  }),
  'tools.search.max_results': key(results, {
    default: 200,
    unit: 'entries',
    ids: ['F-TOOL-search', 'F-CUSTOM'],
    description: 'How many matches `search` returns when the call does not say.',
  }),
  'tools.search.max_results_per_file': key(results, {
    default: 1_000,
    unit: 'entries',
    ids: ['F-TOOL-search', 'F-CUSTOM'],
    description: 'How many matches of one file `search` returns.',
  }),
  'tools.search.max_file_bytes': key(bytes, {
    default: 8_388_608,
    unit: 'bytes',
    ids: ['F-TOOL-search', 'F-CUSTOM'],
    description: 'The largest file that `search` reads.',
  }),
  'tools.search.max_line_chars': key(integer({ min: 20, max: 100_000, tighter: 'lower' }), {
    default: 500,
    ids: ['F-TOOL-search', 'F-CUSTOM'],
    description: 'How many characters of a match, and of its line around it, `search` shows.',
  }),
  'tools.search.engine': key(choice(['auto', 'built_in']), {
    default: 'auto',
    ids: ['F-TOOL-search'],
    description:
      'Whether the search program is used where it is installed, or the slower built-in search always.',
  }),
} as const
