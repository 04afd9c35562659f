const PARSE_CODES = [
  'missing_header',
  'invalid_header',
  'missing_end',
  'trailing_garbage',
  'expected_file_section',
  'missing_path',
  'bad_quoted_path_escape',
  'unterminated_quoted_path',
  'unexpected_text',
  'unknown_op',
  'invalid_occ',
  'occ_zero',
  'invalid_n_flag',
  'bad_dot_stuffing',
  'unterminated_block',
] as const
const CONTENT_CODES = ['bare_cr', 'invalid_utf8', 'mixed_eol'] as const
const APPLY_CODES = [
  'match_not_found',
  'match_not_unique',
  'occ_out_of_range',
  'empty_find',
  'missing_file_for_match_op',
  'is_directory',
  'file_too_large',
] as const

/** Every code an LP1 failure can have, in the three groups of the language. */
export const LP1_CODES = { parse: PARSE_CODES, content: CONTENT_CODES, apply: APPLY_CODES } as const

export type Lp1Code =
  | (typeof PARSE_CODES)[number]
  | (typeof CONTENT_CODES)[number]
  | (typeof APPLY_CODES)[number]

/** A line of the file that the author of a patch probably meant. */
export type NearMiss = { readonly line: number; readonly text: string; readonly why: string }

/** One failure; `line` counts patch lines from 1, `column` code points from 1. */
export type Lp1Error = {
  readonly code: Lp1Code
  readonly line: number
  readonly column?: number
  readonly message: string
  /** The first lines of all matches, counted in the file as the operation saw it. */
  readonly matches?: readonly number[]
  readonly nearest?: NearMiss
}

/** Why a file's bytes cannot be treated as lines; `line` counts lines of the file. */
export type ContentFailure = {
  readonly ok: false
  readonly code: 'bare_cr' | 'invalid_utf8'
  readonly line: number
  readonly message: string
}

/** Links a failure to read a file's lines to the patch line that needed them. */
export function contentError(failure: ContentFailure, patchLine: number): Lp1Error {
  return { code: failure.code, line: patchLine, message: failure.message }
}

/** The error for a section whose path names a directory. */
export function directoryError(patchLine: number): Lp1Error {
  return {
    code: 'is_directory',
    line: patchLine,
    message: 'The path is a directory and a patch edits files only; name a file in it.',
  }
}

/** The error for a file that is larger than editing allows. */
export function tooLargeError(patchLine: number, sizeBytes: number, limitBytes: number): Lp1Error {
  return {
    code: 'file_too_large',
    line: patchLine,
    message: `The file has ${sizeBytes} bytes and editing stops at ${limitBytes}; it cannot be patched.`,
  }
}

/** Quotes text for a message, with blanks and control characters visible and long lines shortened. */
export function quoteText(text: string, limit = 80): string {
  return JSON.stringify(shortenText(text, limit))
}

/** Cuts text to a number of UTF-16 units without splitting a character, and marks the cut. */
export function shortenText(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text
        .slice(0, limit)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')}…`
}

/** The column of a UTF-16 index, in code points from 1. */
export function columnOf(line: string, index: number): number {
  return Array.from(line.slice(0, index)).length + 1
}
