import type { Settings } from '../../config/keys.ts'
import { ATTACHMENT_LIMITS } from '../../config/fixed-values.ts'
import { ATTACHMENT_TYPES, isPicture } from '../../core/attachment/attachment.ts'
import type { AttachmentType } from '../../core/attachment/attachment.ts'
import type { LogReader } from '../../journal/log.ts'
import type { ModelClient, ModelMessage, ModelRequest } from '../../model/model-client.ts'
import { attachedIn } from './capacity.ts'

/**
 * The pictures and documents that a model is shown: what is known about it, unless the setting says otherwise. To another
 * model than the configured one, the setting applies only if nothing is known, or if it forbids everything.
 */
export function takenBy(
  { takes = [] }: Pick<ModelClient, 'takes'>,
  setting: Settings['model.attachments'],
  isOther: boolean,
): readonly AttachmentType[] {
  if (isOther && setting !== 'none' && takes.length > 0) return takes
  switch (setting) {
    case 'auto':
      return takes
    case 'none':
      return []
    case 'pictures':
      return ATTACHMENT_TYPES.filter(isPicture)
    case 'all':
      return ATTACHMENT_TYPES
  }
}

/** Whether a request would contain more attachments than providers take at once. */
export function hasTooMany(messages: readonly ModelMessage[], takes: readonly AttachmentType[]): boolean {
  const shown = attachedIn(messages).filter(({ type }) => takes.includes(type))
  const bytes = shown.reduce((sum, one) => sum + one.bytes, 0)
  return shown.length > ATTACHMENT_LIMITS.shown || bytes > ATTACHMENT_LIMITS.shownBytes
}

/** What a request says about the attachments of its messages; nothing if there are none. */
export function sendAttachments(
  messages: readonly ModelMessage[],
  takes: readonly AttachmentType[],
  payload: LogReader['payload'],
): Pick<ModelRequest, 'attachments'> | Record<never, never> {
  const attached = attachedIn(messages)
  if (attached.length === 0) return {}
  const contents = new Map<string, Uint8Array>()
  for (const { sha256, type } of attached) {
    const bytes = takes.includes(type) && !contents.has(sha256) ? payload(sha256) : null
    if (bytes !== null) contents.set(sha256, bytes)
  }
  return { attachments: { takes, contents } }
}
