import { describeAttachment } from '../../core/attachment/attachment.ts'
import type { Attachment } from '../../core/attachment/attachment.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import type { Condensed } from '../log/condensed.ts'

/** What the model is told in place of attachments that a compaction point leaves out; null if they are still shown. */
export function wordsFor(
  attached: readonly Attachment[],
  seq: number,
  { attachedUpTo, refusedUpTo }: Condensed,
): string | null {
  if (seq > attachedUpTo) return null
  return attached.map((one) => describeLeftOut(one, seq <= refusedUpTo)).join('\n')
}

function describeLeftOut(one: Attachment, isRefused: boolean): string {
  const what = describeAttachment(one)
  if (isRefused) return `[Left out: ${what}. The provider refused a request with it.]`
  const again =
    one.path === undefined
      ? 'Ask the user for it if it is needed.'
      : `To see it again: read_file ${toJsonLine({ path: one.path })}`
  return `[Left out to make room: ${what}. ${again}]`
}
