import { attachmentLimits } from '../../config/keys/attachment-limits.ts'
import { ATTACHMENT_LIMITS } from '../../config/fixed-values.ts'
import type { Settings } from '../../config/keys.ts'
import { describeAttachment, explainTooLarge } from '../../core/attachment/attachment.ts'
import { findNamedFiles } from '../../core/attachment/named-files.ts'
import { recognizeAttachment } from '../../core/attachment/recognize.ts'
import type { AttachedContent } from '../log/conversation-log.ts'
import type { ModelSetup } from '../model-setup.ts'
import type { Emit } from './event-stream.ts'
import { relay } from './run-calls.ts'

/** A prompt with what is attached to it. */
export interface AttachedPrompt {
  readonly text: string
  readonly attached: readonly AttachedContent[]
}

const READER = 'read_file'

/**
 * Attaches the pictures and documents that a prompt names, and those that came with it. Files are read by calls of the
 * person, so that they take the usual way; if one is not attached, the text says why.
 */
export async function attachFiles(
  text: string,
  given: readonly Uint8Array[],
  {
    setup,
    turn,
    emit,
    signal,
  }: {
    readonly setup: ModelSetup
    readonly turn: string
    readonly emit: Emit
    readonly signal: AbortSignal
  },
): Promise<AttachedPrompt> {
  const { runtime, session, settings, isDryRun, source } = setup
  const own = given.map((bytes) => judgeGiven(bytes, settings, source.digest))
  const hasReader = runtime.definitions().some(({ name }) => name === READER)
  const paths = hasReader ? findNamedFiles(text).slice(0, ATTACHMENT_LIMITS.inPrompt) : []
  const calls = paths.map((path, index) => ({
    id: `attached-${index + 1}`,
    name: READER,
    args: { path: fromRoot(path, runtime.root) },
  }))
  const rows =
    calls.length === 0
      ? []
      : await runtime.run(calls, {
          session,
          turn,
          signal,
          origin: 'person',
          isForModel: true,
          dryRun: isDryRun,
          onEvent: (event) => relay(event, emit, () => true),
        })
  const read = rows.flatMap((row) => row.attached ?? []).map((about) => ({ about, content: null }))
  const faults = [
    ...own.flatMap((one) => (typeof one === 'string' ? [one] : [])),
    ...rows.flatMap((row) => (row.ok ? [] : [`[Not attached: ${row.error.message}]`])),
  ]
  return {
    text: [text, ...faults].join('\n\n'),
    attached: [...own.flatMap((one) => (typeof one === 'string' ? [] : [one])), ...read],
  }
}

/** Bytes that came with a prompt, or why they are not shown. */
function judgeGiven(
  bytes: Uint8Array,
  settings: Settings,
  digest: ModelSetup['source']['digest'],
): AttachedContent | string {
  const found = recognizeAttachment(bytes)
  if (found === null) return '[Not attached: a file that is neither a picture nor a PDF.]'
  const about = { ...found, bytes: bytes.length }
  const fault = explainTooLarge(about, attachmentLimits(settings))
  if (fault !== null) return `[Not attached: ${describeAttachment(about)}; ${fault.why}.]`
  return { about: { ...about, sha256: digest(bytes) }, content: bytes }
}

/** Tools take paths that begin at the root. */
function fromRoot(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}
