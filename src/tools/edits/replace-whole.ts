import { isUtf8 } from 'node:buffer'
import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { Edits } from '../../core/powers.ts'
import { countLines } from '../reading/bytes.ts'

const PARTIAL = 'change only the lines you have read, with edit_file or apply_patch'

/** The old content of a file that is to be replaced as a whole. All of it must have been read: what was not shown is not known. */
export function readReplaced(path: string, edits: Edits): Uint8Array {
  const old = edits.read(path)
  const mustHaveSeen = { start_line: 1, end_line: Math.max(1, countLines(old)) }
  edits.requireFresh(path, { matchesText: false, mustHaveSeen, instead: PARTIAL })
  requireUtf8(path, old)
  return old
}

/** Refuses a file in another encoding than UTF-8: what replaces it would be in UTF-8, and nothing would say so. */
function requireUtf8(path: string, old: Uint8Array): void {
  const [first, second] = old
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw otherEncoding(path, 'encoded in UTF-16')
  if (old.includes(0)) throw otherEncoding(path, 'binary, or encoded in UTF-16 or UTF-32')
  if (!isUtf8(old)) throw otherEncoding(path, 'not UTF-8: binary, or in an encoding such as Latin-1')
}

const ASCII = /^[\0-\x7f]*$/

/** Refuses to append text that would be in another encoding than the rest of the file. ASCII is the same in most of them. */
export function requireSameEncoding(path: string, old: Uint8Array, added: string): void {
  if (isUtf16(old)) throw otherEncoding(path, 'encoded in UTF-16')
  if (!ASCII.test(added) && !isUtf8(old))
    throw otherEncoding(path, 'not UTF-8: binary, or in an encoding such as Latin-1')
}

/** Whether bytes are text in UTF-16, which contains a zero for each ASCII character. */
function isUtf16(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.length % 2 === 1 || !bytes.includes(0)) return false
  return ['utf-16le', 'utf-16be'].some((encoding) => {
    try {
      return !new TextDecoder(encoding, { fatal: true }).decode(bytes).includes('\0')
    } catch {
      return false
    }
  })
}

function otherEncoding(path: string, what: string): ToolFailure {
  return failure(
    'execution_failed',
    `${path} is ${what}, and write_file writes UTF-8. Nothing was changed.`,
    { path, reason: 'encoding' },
    [
      'To replace it by UTF-8 text, delete it first with delete_path, and say so to the user.',
      'To keep its encoding, change it with a command such as iconv.',
    ],
  )
}
