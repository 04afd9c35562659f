import type { Settings } from '../../config/keys.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { checkContent } from './check-content.ts'
import type { ContentVerdict, ParseTree } from './check-content.ts'

/** The bytes of a file before and after a call; null means there is no such file. */
export interface CheckedContent {
  readonly path: string
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/** Whether the staged files may be committed, and any notes and warnings if they may. */
export interface StagedVerdict {
  readonly refusal: ToolError | null
  readonly notes: readonly string[]
}

/**
 * Warnings are not worth delaying a large edit: with more text than this in one call, only what can be rejected is
 * checked.
 */
const MAX_TREE_BYTES = 256 * 1024

/**
 * Checks the content of everything a call wants to commit. Large files and files that are not UTF-8 are not checked.
 */
export async function checkStaged(
  files: readonly CheckedContent[],
  settings: Pick<Settings, 'tools.edit.syntax_check' | 'tools.edit.syntax_check_max_bytes'>,
  parseTree?: ParseTree,
): Promise<StagedVerdict> {
  const refused: { readonly path: string; readonly verdict: ContentVerdict }[] = []
  const notes: string[] = []
  const isOld = createMoveDetector(files)
  const maxBytes = settings['tools.edit.syntax_check_max_bytes']
  let left = MAX_TREE_BYTES
  const parseWithin: ParseTree = async (grammar, text) => {
    left -= text.length
    return left < 0 || parseTree === undefined ? null : parseTree(grammar, text)
  }
  for (const file of files) {
    const text = file.after === null || isOld(file) ? null : decode(file.after, maxBytes)
    const old = file.before === null ? null : decode(file.before, maxBytes)
    if (text === null || (file.before !== null && old === null)) continue
    const { path } = file
    const verdict = await checkContent({ path, before: old, after: text, settings, parseTree: parseWithin })
    if (verdict.verdict === 'refuse') refused.push({ path, verdict })
    else if (verdict.verdict !== 'pass') notes.push(verdict.message)
  }
  return { refusal: refuse(refused), notes }
}

const list = ({ problems }: ContentVerdict): JsonValue[] => problems.map((problem) => ({ ...problem }))

function refuse(
  refused: readonly { readonly path: string; readonly verdict: ContentVerdict }[],
): ToolError | null {
  const [first, ...others] = refused
  if (first === undefined) return null
  const also = others.map(({ path, verdict }) => ({ path, problems: list(verdict) }))
  const too = others.length === 0 ? '' : ` The same holds for ${others.map(({ path }) => path).join(', ')}.`
  return toolError(
    'bad_args',
    `${first.verdict.message}${too}`,
    {
      path: first.path,
      problems: list(first.verdict),
      ...(also.length === 0 ? {} : { others: also }),
    },
    [
      ...new Set(
        refused.flatMap(({ verdict }) => verdict.problems.map(({ suggestion }) => suggestion)).slice(0, 5),
      ),
      'Send the edit again with these places corrected.',
    ],
  )
}

/** Recognizes content that only moved, which is not checked again. */
function createMoveDetector(files: readonly CheckedContent[]): (file: CheckedContent) => boolean {
  const gone = new Map<number, Uint8Array[]>()
  for (const { before, after } of files) {
    if (before === null || after !== null) continue
    const alike = gone.get(before.length)
    if (alike === undefined) gone.set(before.length, [before])
    else alike.push(before)
  }
  return ({ before, after }) =>
    before === null &&
    after !== null &&
    (gone.get(after.length) ?? []).some((bytes) => Buffer.compare(bytes, after) === 0)
}

function decode(bytes: Uint8Array, maxBytes: number): string | null {
  if (bytes.length > maxBytes) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
