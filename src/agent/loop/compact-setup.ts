import type { CompactionCause } from '../../journal/entries/conversation-entry.ts'
import { compact } from '../context/compact.ts'
import type { Compaction } from '../context/compact.ts'
import type { CompactReport } from '../conversation.ts'
import type { Usage } from '../events.ts'
import type { ModelSetup } from '../model-setup.ts'
import { NOTHING_USED } from './budget.ts'
import type { TurnContext } from './turn-state.ts'

type Reporting = Pick<TurnContext, 'emit' | 'signal'>

/** Compacts before a request if the context window is nearly full; returns what that used. */
export async function compactIfFull(setup: ModelSetup, { emit, signal }: Reporting): Promise<Usage> {
  if (!setup.isFull()) return NOTHING_USED
  return (await compactSetup(setup, { emit, signal, cause: 'full', words: null })).usage
}

/** Compacts the conversation of a setup. */
export function compactSetup(
  setup: ModelSetup,
  {
    emit,
    signal,
    cause,
    words,
  }: Reporting & { readonly cause: CompactionCause; readonly words: string | null },
): Promise<Compaction> {
  const { model, log, sizeOf, room, settings, retries, digest, source } = setup
  const prices = settings['model.prices']
  const { storeOutput } = source
  return compact({
    model,
    log,
    emit,
    signal,
    sizeOf,
    room,
    prices,
    retries,
    digest,
    storeOutput,
    cause,
    words,
  })
}

/** Compacts because a person asked for it. */
export async function compactNow(
  setup: ModelSetup,
  words: string | null,
  { emit, signal }: Reporting,
): Promise<CompactReport> {
  const wanted = words === null || words.trim() === '' ? null : words.trim()
  const { point, lacksSummary } = await compactSetup(setup, { emit, signal, cause: 'asked', words: wanted })
  if (point !== null) {
    const { before, after, results, messages } = point
    return { ok: true, before, after, results, messages, ...(lacksSummary ? { lacks_summary: true } : {}) }
  }
  if (signal.aborted) return { ok: false, message: 'Stopped; the conversation is as it was.' }
  return { ok: false, message: lacksSummary ? NO_SUMMARY : 'There is nothing to compact yet.' }
}

const NO_SUMMARY = 'The model gave no summary, so the conversation is as it was. Try again later.'
