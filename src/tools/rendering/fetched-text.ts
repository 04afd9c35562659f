import { describeBytes } from '../../core/text/describe-bytes.ts'

/** What was fetched, as far as its text shows it. */
export interface ShownFetch {
  readonly url: string
  readonly status?: number
  readonly type?: string
  readonly bytes?: number
  readonly content?: string
  readonly lines?: { readonly shown: number; readonly total: number }
  readonly stored?: string
  readonly redirect?: string
  readonly notes?: readonly string[]
  readonly dry_run?: boolean
}

/** The address and what came of it, the content in its frame, and where the rest is. */
export function renderFetched(fetched: ShownFetch): string {
  const { url, status, type, bytes, content, redirect, notes = [], dry_run } = fetched
  if (dry_run === true) return `Dry run: ${url} would be fetched.`
  const size = bytes === undefined ? [] : bytes === 0 ? ['empty'] : [describeBytes(bytes)]
  const head = [`status ${status ?? 'unknown'}`, ...(type === undefined ? [] : [type]), ...size]
  return [
    `${url} (${head.join(', ')})`,
    ...(redirect === undefined ? [] : [`Redirects to ${redirect}`]),
    ...(content === undefined ? [] : [content]),
    ...notes.map((note) => `[${note}]`),
    ...sayRest(fetched),
  ].join('\n')
}

function sayRest({ lines, stored }: ShownFetch): readonly string[] {
  if (lines === undefined)
    return stored === undefined ? [] : [`[stored; as base64: read_file {"path":"${stored}"}]`]
  const part = `lines 1 to ${lines.shown} of ${lines.total}`
  if (stored === undefined) return [`[${part}; the rest is not stored, because tools.output.spill is off]`]
  return [`[${part}; go on with read_file {"path":"${stored}","start_line":${lines.shown + 1}}]`]
}
