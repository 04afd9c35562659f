import { Buffer } from 'node:buffer'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { showPath } from '../../host/root/rel-path.ts'

/** A parsed path argument, without `.` and doubled slashes. */
export type PathArgument =
  | { readonly ok: true; readonly isAbsolute: boolean; readonly parts: readonly string[] }
  | { readonly ok: false; readonly error: ToolError }

/** The limits of the system for a path, and for one name in it. */
const MAX_PATH_BYTES = 4096
const MAX_NAME_BYTES = 255

const DRIVE = /^[a-z]:(?:[\\/]|$)/i
/** Includes the Windows forms of a share, a device and a raw path. */
const SHARE = /^(?:\\\\|\\\?\?\\|\/\/[?.]\/)/
/** Windows opens the device whatever follows the first dot, and accepts superscript digits too. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00B9\u00B2\u00B3]) *(?:\.|$)/i
const MAY_BE_FAULTY = /:|(?:^|\/)(?:con|prn|aux|nul|com|lpt)/i
const GOES_UP = /(?:^|[\\/])\.\.(?:[\\/]|$)/
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{E0000}-\u{E007F}]/u

/**
 * Parses a path argument. Forms that mean a device, a drive, a share or a file stream on some system are refused on all
 * systems, so that a call means the same everywhere. A backslash is an ordinary character, except that `..` between
 * backslashes counts as going up.
 */
export function parsePathArgument(text: string): PathArgument {
  const wrong = findFormFault(text)
  if (wrong !== null) return refuse(text, wrong)
  const isAbsolute = text.startsWith('/')
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  // Most paths are short and cannot contain a faulty name, so the parts need no check.
  if (text.length > MAX_NAME_BYTES / 3 || MAY_BE_FAULTY.test(text)) {
    for (const part of parts) {
      const fault = findNameFault(part)
      if (fault !== null) return refuse(text, fault)
    }
  }
  return { ok: true, isAbsolute, parts }
}

/** Whether a path goes up anywhere, judged by its text. */
export function goesUp(text: string): boolean {
  return GOES_UP.test(text)
}

/** What is wrong with a name that would be created, or null. Existing names may be read as they are. */
export function findNewNameFault(name: string): string | null {
  if (UNSEEN.test(name))
    return 'a new name cannot contain control characters or characters that change the reading direction'
  if (/[. ]$/.test(name)) return 'a new name cannot end in a dot or a space'
  return findNameFault(name)
}

/** The error for a path argument that cannot be used. */
export function badPath(text: string, why: string): ToolError {
  const shown = showPath(text)
  return toolError('bad_args', `Cannot use the path ${shown}: ${why}.`, { path: shown }, [
    'Give a path relative to the root, with forward slashes.',
  ])
}

function refuse(text: string, why: string): PathArgument {
  return { ok: false, error: badPath(text, why) }
}

function findFormFault(text: string): string | null {
  if (text.trim() === '') return 'it is empty; "." means the root itself'
  if (!text.isWellFormed()) return 'it contains half a character (a lone surrogate)'
  if (text.includes('\0')) return 'it contains a NUL character'
  if (text.length > MAX_PATH_BYTES / 3 && Buffer.byteLength(text) > MAX_PATH_BYTES)
    return `it is longer than ${MAX_PATH_BYTES} bytes`
  if (SHARE.test(text)) return 'it is a Windows share or device path'
  return DRIVE.test(text) ? 'it is a Windows drive path' : null
}

function findNameFault(name: string): string | null {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `a part of it is longer than ${MAX_NAME_BYTES} bytes`
  if (DEVICE.test(name)) return `${showPath(name)} is the name of a device on Windows`
  if (name.includes(':')) return `${showPath(name)} would name a file stream on Windows`
  return null
}
