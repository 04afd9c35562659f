import { showPath } from '../core/text/display/show-path.ts'
import { settingsOf } from '../config/keys.ts'
import type { Settings } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import { failure, ToolFailure } from '../core/error.ts'
import type { Edits, EditTarget } from '../core/powers.ts'
import type { MovePath } from '../core/tool.ts'
import { array, object, oneOf, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { dryRunOnlyMark, isDryCall, NO_ARGUMENT } from './edits/dry-run.ts'
import { diffCutMark, fitDiff } from './edits/fit-diff.ts'
import { takenPart } from './edits/taken-part.ts'
import { applySection } from './lp1/apply.ts'
import { readFileLines, writeFileLines } from './lp1/file-lines.ts'
import { formatLp1Guide } from './lp1/guide.ts'
import { contentError, directoryError, tooLargeError } from './lp1/lp1-error.ts'
import type { Lp1Error } from './lp1/lp1-error.ts'
import { formatFileLine } from './lp1/parse-file-line.ts'
import { isMatchOp, mergeSections } from './lp1/operation.ts'
import type { Patch, Section } from './lp1/operation.ts'
import { renderChangedLines } from './rendering/changed-lines.ts'
import { rowPath } from './rendering/row-path.ts'
import { parsePatch, unfence } from './lp1/parse.ts'
import type { ParseResult } from './lp1/parse.ts'

const input = object({ patch: string(`The patch.\n${formatLp1Guide()}`) }, 'What to change')

const output = object(
  {
    files: array(
      object(
        {
          path: string('The file, relative to the root'),
          change: oneOf(['modified', 'created'], 'What happened to it'),
        },
        'One changed file',
      ),
      'The files whose bytes changed, in the order of the patch',
    ),
    diff: string('All changes as a unified diff'),
    truncated: diffCutMark,
    dry_run: dryRunOnlyMark,
    ...takenPart,
  },
  'What the patch changed',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Edits text files with an LP1 patch. */
export const applyPatch = defineTool({
  name: 'apply_patch',
  version: '1.0.0',
  description: 'Change or create text files by lines, with one patch that lands whole or not at all',
  effect: 'edit',
  input,
  output,
  slips: { names: { diff: 'patch', input: 'patch' }, tool: ['patch'] },
  capabilities: ['filesystem.read', 'filesystem.write'],
  limits: { timeout: 'file_operations' },
  deterministic: true,
  groupable: true,
  risk: 'Medium',
  guide: formatLp1Guide(),
  bigArguments: { patch: 'tools.apply_patch.max_patch_bytes' },
  claims: (args) => pathsOf(readPatch(args)).map((path) => ({ path, intent: 'write' })),
  rebase: (args, move) => ({ patch: movePatch(args, move) }),
  summary: (args) => {
    const paths = pathsOf(readPatch(args))
    return `Apply patch to ${paths.length} file(s)${paths.length === 0 ? '' : `: ${paths.map(showPath).join(', ')}`}`
  },
  present: { text: presentResult, mayTruncate: true },
  run(args, context): Result {
    const { edits, settings, maxOutputBytes } = context
    const set = settingsOf(settings)
    // Every path passes the sandbox before anything else is reported about any of them.
    const statPath = statOnce(edits)
    const { sections } = mergeSections(readPatch(args), (path) => statPath(path).key)
    const edited = sections.map((section) => ({ section, target: statPath(section.path) }))
    requireAllRead(edited, edits, set)
    const changes = edited.map((file) => transform(file, edits, set)).filter((change) => change !== null)
    // The result names no backups, and the journal keeps the old contents anyway.
    for (const { path, bytes } of changes) edits.write(path, bytes, { keepBackup: false })
    const result = {
      files: changes.map(({ shown, isNew }) => ({
        path: shown,
        change: isNew ? ('created' as const) : ('modified' as const),
      })),
      diff: edits.diff(),
      ...(isDryCall(NO_ARGUMENT, context) ? { dry_run: true } : {}),
    }
    return fitDiff(result, 'diff', maxOutputBytes)
  },
})

/** The gates ask for claims several times per call, always with the same arguments object. */
const parsed = new WeakMap<Args, ParseResult>()

function readPatch(args: Args): Patch {
  const result = parsed.get(args) ?? parsePatch(unfence(args.patch))
  parsed.set(args, result)
  if (result.ok) return result.patch
  const file = findFileAt(unfence(args.patch).split('\n'), result.error.line)
  throw patchFailure(result.error, file)
}

/** The patch with its file lines moved; every other line stays where it is. */
function movePatch(args: Args, move: MovePath): string {
  const lines = unfence(args.patch).split('\n')
  for (const { path, line } of readPatch(args).sections) lines[line - 1] = formatFileLine(move(path))
  return lines.join('\n')
}

/** The file whose section contains a patch line: the lines above it are parsed as a patch of their own. */
function findFileAt(lines: readonly string[], line: number): string | null {
  const above = parsePatch([...lines.slice(0, line - 1), 'END'].join('\n'))
  if (above.ok) return above.patch.sections.at(-1)?.path ?? null
  // The line is inside a block, so look up its operation, which is above.
  return above.error.line < line ? findFileAt(lines, above.error.line) : null
}

function pathsOf({ sections }: Patch): readonly string[] {
  return [...new Set(sections.map(({ path }) => path))]
}

function statOnce(edits: Edits): (path: string) => EditTarget {
  const known = new Map<string, EditTarget>()
  return (path) => {
    const target = known.get(path) ?? edits.stat(path)
    known.set(path, target)
    return target
  }
}

interface EditedFile {
  readonly section: Section
  readonly target: EditTarget
}

/** Refuses a patch of which some file cannot be edited; all files that were not read are named at once. */
function requireAllRead(edited: readonly EditedFile[], edits: Edits, settings: Settings): void {
  const unread: ToolFailure[] = []
  for (const file of edited) {
    try {
      requireEditable(file, edits, settings)
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure) || !isUnread(thrown)) throw thrown
      unread.push(thrown)
    }
  }
  const [first] = unread
  if (first === undefined) return
  if (unread.length === 1) throw first
  const files = unread.map(({ error }) => String(error.details['file']))
  const calls = files.map((path) => `read_file ${JSON.stringify({ path })}`).join(', ')
  throw failure('stale_file', first.error.message, { ...first.error.details, unread: files }, [
    `Not read yet: ${files.join(', ')}. Call ${calls}, then send the patch again; nothing was changed.`,
  ])
}

function isUnread({ error }: ToolFailure): boolean {
  return (
    error.code === 'stale_file' && error.details['fresh'] === undefined && error.details['diff'] === undefined
  )
}

function requireEditable({ section, target }: EditedFile, edits: Edits, settings: Settings): void {
  const { path, ops } = section
  const limit = settings['tools.edit.max_file_bytes']
  if (target.kind === 'missing') return
  if (target.kind === 'dir') throw patchFailure(directoryError(lineOf(section)), target.path)
  if (target.kind !== 'file') {
    const message = `${target.path} is not a regular file, so it cannot be patched.`
    throw failure('execution_failed', message, { path: target.path }, ['Patch a regular file.'])
  }
  if (target.size > limit) throw patchFailure(tooLargeError(lineOf(section), target.size, limit), target.path)
  // A section without operations changes nothing, so it does not matter whether the model has read the file.
  if (ops.length === 0) return
  const find = ops.find(isMatchOp)?.find
  edits.requireFresh(path, { matchesText: true, ...(find === undefined ? {} : { find }) })
}

interface Change {
  readonly path: string
  readonly shown: string
  readonly isNew: boolean
  readonly bytes: Uint8Array
}

/** The change to one file, or null if its bytes stay the same. */
function transform({ section, target }: EditedFile, edits: Edits, settings: Settings): Change | null {
  const { path, ops } = section
  if (ops.length === 0) return null
  const isNew = target.kind === 'missing'
  const before = isNew ? null : readFileLines(edits.read(path))
  if (before !== null && !before.ok) throw patchFailure(contentError(before, lineOf(section)), target.path)
  const applied = applySection(ops, before?.file ?? null, {
    strictEol: settings['tools.apply_patch.strict_eol'],
  })
  if (!applied.ok) throw patchFailure(applied.error, target.path)
  if (!applied.changed || applied.file === null) return null
  return { path, shown: target.path, isNew, bytes: writeFileLines(applied.file) }
}

function lineOf({ ops, line }: Section): number {
  return ops[0]?.line ?? line
}

/** More matches than this do not help, and there may be millions. */
const SHOWN_MATCHES = 1000

function patchFailure(error: Lp1Error, file: string | null): ToolFailure {
  const { code, line, column, matches, nearest } = error
  const place = `patch line ${line}${column === undefined ? '' : `, column ${column}`}`
  const message = `${file === null ? place : `${file}: ${place}`}: ${error.message}`
  const details = {
    ...(file === null ? {} : { file }),
    lp1: code,
    line,
    ...(column === undefined ? {} : { column }),
    ...(matches === undefined
      ? {}
      : { matches: matches.slice(0, SHOWN_MATCHES), match_count: matches.length }),
    ...(nearest === undefined ? {} : { nearest }),
  }
  return failure('patch_failed', message, details, [
    'Nothing was changed; correct the patch and send it whole again.',
  ])
}

const NOTHING = 'No changes applied.'

function presentResult({ files, diff, dry_run }: Result): string {
  const lines =
    files.length === 0 ? [NOTHING] : files.map(({ path, change }) => `${change}: ${rowPath(path)}`)
  if (dry_run === true)
    return [...lines.map((line) => `dry run: ${line}`), ...(diff === '' ? [] : ['', diff])].join('\n')
  const changed = renderChangedLines(diff, { withPaths: files.length > 1 })
  return [...lines, ...(changed === '' ? [] : [changed])].join('\n')
}
