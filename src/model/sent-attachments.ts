import { isPicture } from '../core/attachment/attachment.ts'
import type { Attachment } from '../core/attachment/attachment.ts'
import type { ModelMessage, SentAttachments } from './model-client.ts'

/** Where a provider takes the attachments of a result: in the result itself, or in a message of the user after it. */
export type AttachedTo = 'result' | 'message'

/** An attachment in the form of the provider packages. */
export interface FilePart {
  readonly type: 'file'
  readonly data: { readonly type: 'data'; readonly data: Uint8Array }
  readonly mediaType: string
  readonly filename?: string
}

/**
 * The messages with the attachments that the model is shown, where the provider takes them. For the others, the text
 * says why it does not see them.
 */
export function placeAttached(
  messages: readonly ModelMessage[],
  to: AttachedTo,
  sent: SentAttachments | undefined,
): readonly ModelMessage[] {
  return messages.flatMap((message): readonly ModelMessage[] => {
    if (message.role === 'assistant') return [message]
    if (message.role === 'user') {
      const { text, attached = [] } = message
      return attached.length === 0 ? [message] : [{ role: 'user', ...split(text, attached, sent) }]
    }
    if (message.results.every(({ attached }) => attached === undefined)) return [message]
    const results = message.results.map(({ attached = [], content, ...rest }) => {
      const { text, ...shown } = split(content, attached, sent)
      return { ...rest, content: text, ...shown }
    })
    if (to === 'result') return [{ role: 'tool', results }]
    const apart = results.flatMap((one) => one.attached ?? [])
    const bare = results.map(({ attached: _attached, ...rest }) => rest)
    const after = { role: 'user', text: '[What the results above show:]', attached: apart } as const
    return [{ role: 'tool', results: bare }, ...(apart.length === 0 ? [] : [after])]
  })
}

/** The attachments that are shown, and the text with what is said about the others. */
function split(
  text: string,
  attached: readonly Attachment[],
  sent: SentAttachments | undefined,
): { readonly text: string; readonly attached?: readonly Attachment[] } {
  const reasons = attached.map((one) => explainUnseen(one, sent))
  const shown = attached.filter((_one, index) => reasons[index] === null)
  const said = [text, ...reasons.filter((reason) => reason !== null)].filter((part) => part !== '')
  return { text: said.join('\n'), ...(shown.length === 0 ? {} : { attached: shown }) }
}

/** Why a model does not see an attachment; null if it does. */
function explainUnseen(one: Attachment, sent: SentAttachments | undefined): string | null {
  if (sent === undefined) return '[It is not shown here.]'
  if (sent.takes.includes(one.type)) return sent.contents.has(one.sha256) ? null : '[Its content was erased.]'
  return isPicture(one.type)
    ? '[You cannot see this picture: it is not sent to your model. Tell the user so if the task depends on it.]'
    : '[You cannot see this document: it is not sent to your model. A command such as pdftotext may print its text; otherwise tell the user.]'
}

/** The attachments of a message whose attachments are all shown. */
export function fileParts(
  attached: readonly Attachment[] | undefined,
  sent: SentAttachments | undefined,
): readonly FilePart[] {
  return (attached ?? []).flatMap(({ sha256, type }) => {
    const data = sent?.contents.get(sha256)
    if (data === undefined) return []
    const filename = isPicture(type) ? {} : { filename: 'document.pdf' }
    return [{ type: 'file', data: { type: 'data', data }, mediaType: type, ...filename }]
  })
}
