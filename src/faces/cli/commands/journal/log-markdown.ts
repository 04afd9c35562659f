import type { AllowedCall, LogSummary, RefusedCall } from '../../../../agent/log/summarize-log.ts'
import { safe } from '../../terminal.ts'

/** More files or calls than this are counted instead of named. */
const MOST_NAMED = 50
const ID_CHARS = 26

/** A summary of the log as Markdown, for the description of a pull request. */
export function renderMarkdown(summary: LogSummary, title: string | null): string {
  const { changes, allowed, refused, doubtful } = summary
  return [
    '## What changed',
    '',
    ...(title === null ? [] : [`> ${code(title)}`, '']),
    ...listed(changes, ({ path, is }) => `- ${is} ${code(path)}`, 'files'),
    ...(changes.length === 0 ? ['No files.'] : []),
    ...(summary.undone > 0 ? ['', `What ${count(summary.undone, 'undo')} took back is left out.`] : []),
    '',
    '## Why it was allowed',
    '',
    ...listed(allowed, describeAllowed, 'calls'),
    ...(allowed.length === 0 ? ['Nothing was changed or started.'] : []),
    ...section('Refused', refused),
    ...section('In doubt', doubtful),
    '',
    '## What it cost',
    '',
    ...describeCost(summary),
    '',
    `Recorded by Tongs; ${describeHeads(summary)}.`,
  ].join('\n')
}

function describeAllowed({ execution, name, files, by, grant }: AllowedCall): string {
  const what = files === 0 ? 'no files' : files === 1 ? 'one file' : `${files} files`
  const why =
    grant !== null
      ? `by a grant: ${prose(grant)}`
      : by === null
        ? 'without a question, by the policy'
        : `approved by ${code(by)}`
  return `- ${code(name)} (${what}), ${why} ${id(execution)}`
}

function section(title: string, calls: readonly RefusedCall[]): readonly string[] {
  if (calls.length === 0) return []
  return ['', `### ${title}`, '', ...listed(calls, describeRefused, 'calls')]
}

function describeRefused({ execution, name, code: reason, gate }: RefusedCall): string {
  const by = gate === null ? '' : `, by the gate ${code(gate)}`
  return `- ${code(name)}: ${code(reason)}${by} ${id(execution)}`
}

function describeCost({ usage, models, turns, calls, failed, from, to }: LogSummary): readonly string[] {
  const seconds = from === null || to === null ? 0 : Math.round((to - from) / 1000)
  const cost = usage.cost === null ? '' : `, cost ${usage.cost.toFixed(4)}`
  return [
    `- ${models.length === 0 ? 'no model' : models.map(code).join(', ')}: ${usage.input_tokens} tokens in (${usage.cached_tokens} of them cached), ${usage.output_tokens} out${cost}`,
    `- ${count(turns, 'turn')}, ${count(calls, 'call')} (${failed} failed), ${seconds} s from the first entry to the last`,
  ]
}

function describeHeads({ heads }: LogSummary): string {
  const [head, ...more] = heads
  if (head === undefined) return 'nothing is on record'
  if (more.length > 0) return `${heads.length} sessions, \`tongs audit verify\` checks them`
  return `session ${code(head.session)}, checked by \`tongs audit verify --since ${head.hash}\``
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

function id(execution: string): string {
  return `(${code(execution.slice(0, ID_CHARS))})`
}

function listed<T>(rows: readonly T[], show: (row: T) => string, what: string): readonly string[] {
  const more = rows.length - MOST_NAMED
  return [...rows.slice(0, MOST_NAMED).map(show), ...(more > 0 ? [`- and ${more} more ${what}`] : [])]
}

/** Words from outside as plain text: they begin no link, no tag, no mention and no block. */
function prose(words: string): string {
  return safe(words)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_[\]<>#|@!~&]/g, (mark) => (mark === '@' ? '&#64;' : `\\${mark}`))
}

/** A name from outside as a code span, which nothing in it can end. */
function code(name: string): string {
  const text = safe(name).replaceAll(/\s/g, ' ')
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}
