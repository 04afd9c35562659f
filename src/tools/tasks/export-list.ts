import { redactSecrets } from '../../core/text/secrets/redact.ts'
import { readReplaced } from '../edits/replace-whole.ts'
import { isDryCall, NO_ARGUMENT } from '../edits/dry-run.ts'
import type { PowersOf } from '../../core/tool.ts'

/** How a list is rendered as a page. */
export interface ListPage<Item> {
  readonly path: string
  readonly title: string
  readonly show: (item: Item) => readonly string[]
}

/** Writes a list as a page, with secrets removed, through the same staged edits as any other change. */
export function exportList<Item>(
  items: readonly Item[],
  { path, title, show }: ListPage<Item>,
  context: Pick<PowersOf['edit'], 'edits' | 'isDryRun'>,
) {
  const lines = items.flatMap(show)
  const page = redactSecrets(
    `# ${title}\n\n${lines.length === 0 ? 'Nothing to do.\n' : lines.map((line) => `${line}\n`).join('')}`,
  )
  const { edits } = context
  const target = edits.stat(path)
  if (target.kind === 'file') readReplaced(path, edits)
  edits.write(path, new TextEncoder().encode(page))
  const preview = isDryCall(NO_ARGUMENT, context) ? { preview: edits.diff() } : {}
  return { path: target.path, count: items.length, ...preview }
}

/** The location an item refers to, in the usual notation. */
export function showPlace({
  path,
  line,
  end_line,
}: {
  readonly path: string
  readonly line?: number
  readonly end_line?: number
}): string {
  if (line === undefined) return `\`${path}\``
  return `\`${path}:${line}${end_line === undefined ? '' : `-${end_line}`}\``
}
