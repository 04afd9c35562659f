/** The pictures and documents that models are shown. */
export const ATTACHMENT_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
] as const

/** The media type of one of them. */
export type AttachmentType = (typeof ATTACHMENT_TYPES)[number]

/** What the header of a picture or document says about it. */
export interface Recognized {
  readonly type: AttachmentType
  /** Pixels; absent for documents. */
  readonly width?: number
  readonly height?: number
  /** About how many tokens it takes up in a context window. */
  readonly tokens: number
}

/** A picture or document that goes to a model with a result or a prompt; its bytes are stored by their digest. */
export interface Attachment extends Recognized {
  readonly sha256: string
  readonly bytes: number
  /** What read_file takes to show it again; absent if it came with a prompt. */
  readonly path?: string
}

const TITLES: Readonly<Record<AttachmentType, string>> = {
  'image/png': 'PNG picture',
  'image/jpeg': 'JPEG picture',
  'image/gif': 'GIF picture',
  'image/webp': 'WebP picture',
  'application/pdf': 'PDF document',
}

/** Whether it is a picture, and not a document. */
export function isPicture(type: AttachmentType): boolean {
  return type !== 'application/pdf'
}

/** What it is, in words: its type, its size in pixels and its bytes. Nothing inside it is quoted. */
export function describeAttachment({
  type,
  width,
  height,
  bytes,
}: Omit<Recognized, 'tokens'> & {
  readonly bytes: number
}): string {
  const pixels = width === undefined || height === undefined ? '' : `${width} x ${height} pixels, `
  return `${TITLES[type]}, ${pixels}${bytes} bytes`
}

/** Limits on what is shown to a model. */
export interface AttachmentLimits {
  readonly maxBytes: number
  readonly maxSidePixels: number
}

/** Why an attachment is too large, and what to do about it; null if it is not. */
export function explainTooLarge(
  found: Omit<Recognized, 'tokens'> & { readonly bytes: number },
  { maxBytes, maxSidePixels }: AttachmentLimits,
): { readonly why: string; readonly advice: string } | null {
  const what = isPicture(found.type) ? 'picture' : 'document'
  if (found.bytes > maxBytes)
    return {
      why: `it is larger than the ${maxBytes} bytes that attachments.max_bytes allows`,
      advice:
        what === 'picture'
          ? 'Make a smaller copy of the picture and read that, or raise attachments.max_bytes.'
          : 'Take the pages that matter into a document of their own and read that, or raise attachments.max_bytes.',
    }
  if (Math.max(found.width ?? 0, found.height ?? 0) > maxSidePixels)
    return {
      why: `a side is longer than the ${maxSidePixels} pixels that attachments.max_side_pixels allows`,
      advice: 'Scale the picture down or cut it into parts, and read those.',
    }
  return null
}
