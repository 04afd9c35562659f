import { SNIFF_BYTES } from '../../config/fixed-values.ts'
import { attachmentLimits } from '../../config/keys/attachment-limits.ts'
import { settingsOf } from '../../config/keys.ts'
import type { AttachmentLimits } from '../../core/attachment/attachment.ts'
import type { LineRange, OpenedFile } from '../../core/powers.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import type { CallContext } from '../../core/tool.ts'
import { bomLength, findLines, LONGEST_CHARACTER } from './bytes.ts'
import type { FoundLines } from './bytes.ts'

/** What showing a picture or document takes. */
export interface Attaching {
  /** Null if the result goes to no model. */
  readonly attach: CallContext['attach']
  readonly attachments: AttachmentLimits
}

/** What bounds a reading. */
export interface Limits extends Attaching {
  readonly readBytes: number
  readonly scanBytes: number
  readonly wholeBytes: number
  readonly outputBytes: number
  readonly binary: 'base64' | 'refuse'
  readonly overLimit: 'beginning' | 'refuse'
  /** Whether text in another encoding is said to be that. */
  readonly areNamed: boolean
}

/** A file as far as it was read. */
export interface Source {
  readonly file: OpenedFile
  readonly path: string
  /** The path as shown in messages. */
  readonly shownPath: string
  /** From the start of the file. */
  readonly bytes: Uint8Array
  readonly size: number
  /** Whether the file was read to its end, and therefore hashed: only then can it be edited. */
  readonly isWhole: boolean
}

/** Most ranges end within this much; otherwise the amount is quadrupled each time. */
const FIRST_SCAN_BYTES = 65_536

/** The powers that decide how much is read. */
type LimitingPowers = Pick<CallContext, 'capacityBytes' | 'maxOutputBytes' | 'attach' | 'settings'>

/** The limits of a call. */
export function resolveLimits({
  capacityBytes,
  maxOutputBytes,
  attach,
  settings: view,
}: LimitingPowers): Limits {
  const settings = settingsOf(view)
  return {
    readBytes: Math.min(settings['tools.read_file.max_file_read_bytes'], capacityBytes ?? Infinity),
    scanBytes: settings['tools.read_file.max_scan_bytes'],
    wholeBytes: settings['tools.edit.max_file_bytes'],
    outputBytes: maxOutputBytes,
    attach,
    attachments: attachmentLimits(settings),
    binary: settings['tools.read_file.binary'],
    overLimit: settings['tools.read_file.over_limit'],
    areNamed: settings['tools.read_file.name_encodings'],
  }
}

/** Reads as much of a file as its size and the limits allow. */
export function readSource(file: OpenedFile, isRange: boolean, limits: Limits): Source {
  // A name that is not UTF-8 cannot be shown unchanged.
  const path = file.path.toWellFormed()
  const named = { file, path, shownPath: sanitise(path, { oneLine: true }) }
  if (file.size <= limits.wholeBytes) {
    const bytes = file.readAll(limits.wholeBytes)
    return { ...named, bytes, size: bytes.length, isWhole: true }
  }
  const textBytes = limits.readBytes + LONGEST_CHARACTER
  const bytes = file.readAt(0, isRange ? FIRST_SCAN_BYTES : Math.max(SNIFF_BYTES, textBytes))
  return { ...named, bytes, size: file.size, isWhole: false }
}

/** Finds lines within the limit, and reads more if the lines continue beyond what was read. */
export function scanLines(
  source: Source,
  wanted: LineRange,
  scanBytes: number,
): { readonly bytes: Uint8Array; readonly found: FoundLines } {
  let { bytes } = source
  for (;;) {
    const found = findLines(bytes.subarray(0, scanBytes + 1), bomLength(bytes), wanted)
    if (!found.isPastEnd || bytes.length > scanBytes || bytes.length >= source.size) return { bytes, found }
    const more = source.file.readAt(0, Math.min(bytes.length * 4, scanBytes + 1))
    if (more.length <= bytes.length) return { bytes, found }
    bytes = more
  }
}
