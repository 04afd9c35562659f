import { storedName } from '../../core/web/framed-text.ts'
import type { PriceSetting } from '../../config/kinds/table-kinds.ts'
import { quotePath, showPath } from '../../core/text/display/show-path.ts'
import { byteLength } from '../../core/text/truncate.ts'
import { ModelError } from '../../model/model-client.ts'
import { formatFenced } from '../../wire/fenced.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { withRetries } from '../../model/with-retries.ts'
import type { RetryOptions } from '../../model/with-retries.ts'
import type { ConversationLog } from '../log/conversation-log.ts'
import { rowsOf } from '../log/spoken-batch.ts'
import type { Spoken, Transcript } from '../log/transcript.ts'
import { addUsage, NOTHING_USED, priceUsage } from '../loop/budget.ts'
import type { Usage } from '../events.ts'
import { buildMessages } from './build-messages.ts'
import type { HashText } from './build-messages.ts'
import { readingOf } from './readings.ts'
import { isLong } from './shorten-result.ts'

/** What asking for a summary needs. */
export interface Asking {
  readonly model: ModelClient
  readonly log: ConversationLog
  readonly signal: AbortSignal
  readonly prices: readonly PriceSetting[]
  readonly retries: RetryOptions
  readonly digest: HashText
  /** What the user wants the summary to keep; null if nothing in particular. */
  readonly words: string | null
}

const PROMPT =
  "Summarize this conversation for yourself: what was found out and done, which files were changed, and what is still to do. The user's own messages are kept beside it, so do not repeat them. Keep everything that is needed to continue, and write nothing else."

/** Has the model summarize messages; empty if it fails, and then nothing is left out. */
export async function requestSummary(
  older: Transcript,
  { model, log, signal, prices, retries, digest, words }: Asking,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  // As text, because providers that see calls require tools as well.
  const { messages } = buildMessages(older, 'fenced', digest)
  const prompt = words === null ? PROMPT : `${PROMPT} The user wants this of the summary: ${words}`
  const request = {
    system: '',
    messages: [...messages, { role: 'user', text: prompt } as const],
    tools: [],
    isForSummary: true,
  } as const
  let text = ''
  let usage = NOTHING_USED
  const client = withRetries(model, { ...retries, onRetry: () => (text = '') })
  try {
    for await (const delta of client.stream(request, signal)) {
      if (delta.type === 'text') text += delta.text
      if (delta.type !== 'usage') continue
      const used = priceUsage(delta, model.id, prices)
      usage = addUsage(usage, used)
      log.spend(model.id, used)
    }
    return { text, usage }
  } catch (thrown) {
    if (signal.aborted || thrown instanceof ModelError) return { text: '', usage }
    throw thrown
  }
}

const MOST_RESULTS = 30

/** The whole summary: what the user said as it was, what the model wrote, and where the results are that were left out. */
export function composeSummary(
  text: string,
  { spoken }: Transcript,
  cut: number,
  wordsBytes: number,
): string {
  const older = spoken.filter(({ seq }) => seq <= cut)
  return [
    `What the user said, word for word:\n\n${quoteUser(older, wordsBytes)}`,
    `What you wrote down about the rest:\n\n${formatFenced('summary', text.trim())}`,
    ...listResults(older),
  ].join('\n\n')
}

/** Words of the user are never shortened; only if they alone would fill the window, the oldest are named and left out. */
function quoteUser(older: readonly Spoken[], bytes: number): string {
  let left = bytes
  const words = older
    .flatMap((one) =>
      one.role === 'user' && one.notes === undefined && one.isTold === undefined ? [one.text] : [],
    )
    .toReversed()
  const quoted = words.map((text) => {
    left -= byteLength(text)
    if (left >= 0) return text
    return `[a message of ${text.length} characters, for which there was no room; ask the user if it is needed]`
  })
  return quoted.length === 0 ? '(nothing)' : quoted.toReversed().join('\n\n')
}

function listResults(older: readonly Spoken[]): readonly string[] {
  const rows = older.flatMap((one) => (one.role === 'results' ? rowsOf(one.batch) : []))
  const files = new Set(rows.flatMap((row) => readingOf(row)?.path ?? []))
  const long = rows.filter((row) => isLong(row.content) && readingOf(row) === null)
  const named = long.slice(-MOST_RESULTS).map(({ name, ok, execution, content }) => {
    return `- ${showPath(name)}${ok ? '' : ' (failed)'}: tongs:output/${storedName(execution.id, content)}`
  })
  const more = long.length > MOST_RESULTS ? [`- and ${long.length - MOST_RESULTS} older ones`] : []
  return [
    ...(files.size === 0
      ? []
      : [`Files that were read, to be read again if needed: ${[...files].map(quotePath).join(', ')}`]),
    ...(named.length === 0
      ? []
      : [`Long results that were left out; read_file takes these names:\n${[...named, ...more].join('\n')}`]),
  ]
}
