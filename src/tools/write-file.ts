import { quotePath, showPath } from '../core/text/display/show-path.ts'
import { settingsOf } from '../config/keys.ts'
import type { Settings } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import { PATH_SLIPS } from './define/slip-names.ts'
import { failure } from '../core/error.ts'
import type { ToolFailure } from '../core/error.ts'
import type { Edits, EditTarget } from '../core/powers.ts'
import { boolean, integer, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { byteLength } from '../core/text/truncate.ts'
import { countLines } from './reading/bytes.ts'
import {
  backupUnlessDry,
  dryRunArgument,
  dryRunDiff,
  dryRunMark,
  reportDryRun,
  riskUnlessDry,
} from './edits/dry-run.ts'
import { diffCutMark, fitDiff } from './edits/fit-diff.ts'
import { takenPart } from './edits/taken-part.ts'
import { readReplaced, requireSameEncoding } from './edits/replace-whole.ts'
import { numbered, renderEdit } from './rendering/edit-text.ts'
import { backupPath, stagingTool } from './define/tool-families.ts'

const input = object(
  {
    path: string('The file, relative to the root; folders that are missing are made', { minLength: 1 }),
    content: string('The text, exactly as it should be in the file'),
    no_backup: optional(boolean('Keep no copy of the old content', { default: false })),
    append: optional(
      boolean('Add to the end of the file instead of replacing it; no newline is added', { default: false }),
    ),
    create_if_missing: optional(boolean('Whether a file that does not exist is made', { default: true })),
    dry_run: dryRunArgument,
  },
  'Which file to write, and what',
)

const output = object(
  {
    path: string('The file, relative to the root'),
    backup_path: backupPath,
    bytes_written: integer('Bytes of the content that was written, or on a dry run would be'),
    dry_run: dryRunMark,
    created: boolean('Whether the file did not exist before'),
    preview: dryRunDiff,
    truncated: diffCutMark,
    ...takenPart,
  },
  'What was written',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Writes a whole file, or appends to it. */
export const writeFile = defineTool({
  name: 'write_file',
  version: '1.0.0',
  description: 'Create a file, replace the whole content of one that was read before, or append to it',
  guide: 'It suits a new file, or one that changes nearly everywhere.',
  ...stagingTool,
  input,
  output,
  slips: {
    names: {
      ...PATH_SLIPS,
      contents: 'content',
      text: 'content',
      file_text: 'content',
    },
    tool: ['write', 'create', 'create_file', 'save_file'],
  },
  rare: ['dry_run', 'no_backup', 'create_if_missing'],
  risk: riskUnlessDry,
  bigArguments: { content: 'tools.write_file.max_content_bytes' },
  check: ({ content }) =>
    content.isWellFormed()
      ? null
      : 'content contains half a character (a lone surrogate), which no file can contain; write the whole character',
  claims: ({ path }) => [{ path, intent: 'write' }],
  rebase: (args, move) => ({ ...args, path: move(args.path) }),
  summary: ({ path, content, append }) =>
    `${append === true ? 'Append to' : 'Write'} ${showPath(path)} (${byteLength(content)} bytes)`,
  present: { text: renderResult, mayTruncate: false },
  run(args, context): Result {
    const { edits, settings, maxOutputBytes } = context
    const target = edits.stat(args.path)
    requireAllowed(target, args, settingsOf(settings))
    const created = target.kind === 'missing'
    const old = created ? null : readKnown(args, edits)
    const content = new TextEncoder().encode(args.content)
    const bytes = args.append === true && old !== null ? Buffer.concat([old, content]) : content
    edits.write(args.path, bytes, { keepBackup: args.no_backup !== true })
    const { dry_run, diff } = reportDryRun(args, context)
    const written: Result = {
      path: target.path,
      bytes_written: content.length,
      created,
      backup_path: backupUnlessDry(args, context, args.path),
      dry_run,
    }
    return diff === undefined ? written : fitDiff({ ...written, preview: diff }, 'preview', maxOutputBytes)
  },
})

function requireAllowed({ kind, path, size }: EditTarget, args: Args, settings: Settings): void {
  if (kind === 'missing') {
    if (args.create_if_missing !== false) return
    throw refusal(
      path,
      `${path} does not exist, and create_if_missing is false.`,
      'Check the spelling, or let it be created.',
    )
  }
  if (kind === 'dir') throw refusal(path, `${path} is a folder.`, 'Name a file in it.')
  if (kind !== 'file') throw refusal(path, `${path} is not a regular file.`, 'Choose another name.')
  if (settings['tools.write_file.create_only']) {
    const message = `${path} already exists, and tools.write_file.create_only allows new files only.`
    throw refusal(path, message, 'Choose another name, or change the file with apply_patch.')
  }
  const limit = settings['tools.edit.max_file_bytes']
  if (size <= limit) return
  const message = `${path} has ${size} bytes, and tools.edit.max_file_bytes lets files of up to ${limit} be changed.`
  throw failure('limit_exceeded', message, { path, size, limit }, ['Put what is new into a file of its own.'])
}

function refusal(path: string, message: string, next: string): ToolFailure {
  return failure('execution_failed', message, { path }, [next])
}

/** The old content, if the caller has read it: unseen content is never overwritten or appended to. */
function readKnown({ path, append, content }: Args, edits: Edits): Uint8Array {
  if (append !== true) return readReplaced(path, edits)
  const old = edits.read(path)
  const end = Math.max(1, countLines(old))
  edits.requireFresh(path, { matchesText: false, lines: { start_line: end, end_line: end } })
  requireSameEncoding(path, old, content)
  return old
}

/** The caller wrote the lines, so they are not repeated. */
function renderResult({ path, bytes_written, created, preview, ...result }: Result): string {
  const head = `${created ? 'created' : 'wrote'} ${quotePath(path)} (${numbered(bytes_written, 'byte')})`
  return renderEdit(head, preview === undefined ? {} : { ...result, diff: preview })
}
