import type { AttachmentLimits } from '../../core/attachment/attachment.ts'
import type { Settings } from '../keys.ts'

/** How large the pictures and documents may be that a model is shown. */
export function attachmentLimits(settings: Settings): AttachmentLimits {
  return {
    maxBytes: settings['attachments.max_bytes'],
    maxSidePixels: settings['attachments.max_side_pixels'],
  }
}
