import type { Edits } from '../../core/powers.ts'
import { redactSecrets } from '../../core/text/redact.ts'

/** Writes a list as a page, secrets taken out, through the same staged edits as any other change. */
export function exportPage(path: string, title: string, lines: readonly string[], edits: Edits): string {
  const page = redactSecrets(
    `# ${title}\n\n${lines.length === 0 ? 'Nothing to do.\n' : lines.map((line) => `${line}\n`).join('')}`,
  )
  const target = edits.look(path)
  if (target.kind === 'file') edits.requireFresh(path, { matchesText: false })
  edits.write(path, new TextEncoder().encode(page))
  return target.path
}

/** Where an item points to, as readers of a page expect it. */
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
