import { ATTACHMENT_TYPES, describeAttachment, explainTooLarge } from '../../core/attachment/attachment.ts'
import { recognizeAttachment } from '../../core/attachment/recognize.ts'
import { failure } from '../../core/error.ts'
import { integer, object, oneOf, optional } from '../../schema/schema.ts'
import type { Infer } from '../../schema/schema.ts'
import type { Attaching, Source } from './read-source.ts'

/** What a result says about a picture or document that comes with it. */
export const attachmentSchema = optional(
  object(
    {
      type: oneOf(ATTACHMENT_TYPES, 'Its media type, by its content'),
      bytes: integer('Its size in bytes'),
      width: optional(integer('In pixels, if it is a picture')),
      height: optional(integer('In pixels, if it is a picture')),
    },
    'The picture or document that the model is shown beside this result',
  ),
)

/** Has the model shown a file that is a picture or document; null if it is neither, or if there is no model. */
export function showAttachment(
  { file, path, shownPath, bytes, size, isWhole }: Source,
  { attach, attachments }: Attaching,
): Infer<typeof attachmentSchema> | null {
  const found = attach === null ? null : recognizeAttachment(bytes)
  if (attach === null || found === null) return null
  const { tokens: _tokens, ...about } = { ...found, bytes: size }
  const fault = explainTooLarge(about, attachments)
  if (fault !== null)
    throw failure(
      'limit_exceeded',
      `${shownPath} (${describeAttachment(about)}) is not shown: ${fault.why}.`,
      { path, size },
      [fault.advice],
    )
  attach(isWhole ? bytes : file.readAll(attachments.maxBytes), { ...found, path })
  file.saw(null)
  return about
}
