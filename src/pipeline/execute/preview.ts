import type { DiffHunks } from '../../core/approval.ts'
import { shellWord } from '../../core/command/shell-word.ts'
import type { ToolError } from '../../core/error.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import { createKeyLines } from '../../core/text/secrets/key-lines.ts'
import type { KeyLines } from '../../core/text/secrets/key-lines.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import type { Tool } from '../../core/tool.ts'
import type { ShownChange } from '../../workspace/layers/layer-read.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import type { Run } from '../engine.ts'
import { changesOf } from '../memory/changed-files.ts'
import { readStored } from '../memory/stored-values.ts'
import type { Received, Step } from '../step.ts'
import { errorFrom } from '../tool-crash.ts'
import { judgeContent } from './judge-content.ts'
import { refreshBuffers } from '../plan/refresh-buffers.ts'
import { runTool } from './run-tool.ts'

/** What a call would change or start, or why it cannot be shown. */
export type Preview =
  | {
      readonly is: 'shown'
      readonly diff: string
      /** The hunks of the diff; absent if it can only be taken as a whole. */
      readonly hunks?: DiffHunks
      /** The files that would change, as absolute paths. */
      readonly places: readonly string[]
      readonly notes?: readonly string[]
      /** Set if this has happened, on a layer, and waits to land. */
      readonly landing?: ShownLanding
    }
  /** The call has nothing to show, or what it would change depends on the calls before it. */
  | {
      readonly is: 'unknown'
      readonly notes?: readonly string[]
      /** The processes that it would start, as far as it says so. */
      readonly starts?: readonly SpawnRequest[]
    }
  | { readonly is: 'failed'; readonly error: ToolError; readonly shows: NonNullable<Step['shows']> }

/** What a question about a landing shows besides the diff. */
export interface ShownLanding {
  readonly changes: readonly ShownChange[]
  /** The size of the files that would land. */
  readonly size: number
  /** Of everything that would land. */
  readonly digest: string
}

/** A call to preview. */
export interface PreviewedCall {
  readonly call: Received
  readonly tool: Tool
  readonly effect: 'edit' | 'spawn'
  /** Whether earlier calls of the batch may create what is missing now. */
  readonly isOnTop: boolean
}

/** The preview of a call that can be known only when the earlier calls of its batch have run. */
export const UNFORESEEN: Preview = {
  is: 'unknown',
  notes: ['What it would do depends on the calls before it, so it cannot be shown.'],
}

const SHOWN_CHARS = 400
const WORD_CHARS = 60

/**
 * Runs a call as a dry run, shows what it would do, and drops the changes. An edit is staged on top of what earlier
 * previews left in `run.previewed`; a call that would start a process cannot start one.
 */
export async function previewCall(
  { call, tool, effect, isOnTop }: PreviewedCall,
  run: Run,
): Promise<Preview> {
  const { engine, log, previewed } = run
  if (effect === 'spawn' && tool.command(call.args) !== null) return { is: 'unknown' }
  if (engine.workspace.buffers !== null) await refreshBuffers(tool, call, engine.workspace)
  const keys = openKeyLines(run)
  const transaction = engine.workspace.begin({
    execution: call.execution,
    session: log.key,
    ledger: log.ledger,
    readStored: (key) => readStored(log, key),
    changedBy: (id) => changesOf(log, id),
    ...(previewed === null ? {} : { preview: previewed }),
    ...(keys === null ? {} : { onRead: keys.note }),
  })
  const starts: SpawnRequest[] = []
  const onStart = (request: SpawnRequest): void => void starts.push(request)
  const allowance = { maxOutputBytes: engine.settings['tools.output.max_bytes'], capacityBytes: null }
  try {
    const output = await runTool({ tool, call, allowance, onStart }, transaction, run)
    if (effect === 'spawn') return readWouldRun(output, starts)
    const notes = await judgeContent(transaction, engine)
    for (const [path, bytes] of transaction.preview().contents) previewed?.contents.set(path, bytes)
    return showStaged(transaction, notes)
  } catch (thrown) {
    const error = errorFrom(tool.name, thrown)
    if (effect === 'spawn' && error.details['dry_run'] === true) return readWouldRun(error.details, starts)
    // A failure may be due to missing changes of earlier calls, so it does not refuse the call.
    if (isOnTop) return UNFORESEEN
    const shows = { seen: transaction.seen, ...(keys === null ? {} : { findKeyLines: keys.find }) }
    return { is: 'failed', error, shows }
  } finally {
    transaction.close()
  }
}

/** What notes the private keys in files that a call reads; null if nothing is hidden from its caller. */
export function openKeyLines({ isForModel, engine }: Run): KeyLines | null {
  return isForModel && engine.settings['secrets.to_model'] !== 'allow' ? createKeyLines() : null
}

/** Shows what is staged. */
export function showStaged(transaction: Transaction, notes: readonly string[]): Preview & { is: 'shown' } {
  const { diff, hunks, contents } = transaction.preview()
  return {
    is: 'shown',
    diff,
    ...(hunks === null ? {} : { hunks }),
    places: [...contents.keys()].toSorted(),
    notes,
  }
}

/** What a call that is about to run would do now; only processes are asked for, because an edit shows what it staged. */
export async function previewNow({ call, tool, facts }: Step, run: Run): Promise<Preview> {
  if (tool === null || facts.tool?.effect !== 'spawn') return { is: 'unknown' }
  const dryRun: Run = { ...run, isDryRun: true, onEvent: () => undefined }
  return previewCall({ call, tool, effect: 'spawn', isOnTop: false }, dryRun)
}

function readWouldRun(output: JsonValue, starts: readonly SpawnRequest[]): Preview {
  const words = isJsonObject(output) ? output['would_run'] : null
  if (!Array.isArray(words)) return { is: 'unknown', starts }
  // They may be words of the call or of the project.
  const shown = words.map((word) => shellWord(elideMiddle(String(word), WORD_CHARS)))
  return { is: 'unknown', starts, notes: [`It would run: ${elideMiddle(shown.join(' '), SHOWN_CHARS)}`] }
}
