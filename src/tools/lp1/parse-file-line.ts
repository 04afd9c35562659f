import type { Lp1Code, Lp1Error } from './lp1-error.ts'
import { columnOf, quoteText } from './lp1-error.ts'

export type PathResult =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly error: Lp1Error }

/** Reads the path of a patch line that begins a file section. */
export function parseFileLine(line: string, number: number): PathResult {
  const fail = (code: Lp1Code, index: number, message: string): PathResult => ({
    ok: false,
    error: { code, line: number, column: columnOf(line, index), message },
  })
  const start = skipBlanks(line, line.indexOf('F') + 1)
  if (start === line.length) return fail('missing_path', start, 'F names no file; write F and then a path.')
  const token = line.charAt(start) === '"' ? readQuoted(line, start) : readBare(line, start)
  if (!token.ok) return fail(token.code, token.index, token.message)
  if (token.path === '') return fail('missing_path', start, 'The path is empty; write F and then a path.')
  const rest = skipBlanks(line, token.end)
  if (rest === line.length) return { ok: true, path: token.path }
  const extra = `${quoteText(line.slice(rest))} follows the path`
  return fail(
    'unexpected_text',
    rest,
    `${extra}; put a path with blanks in double quotes, and nothing after it.`,
  )
}

/** Writes the line that begins the section of a file. */
export function formatFileLine(path: string): string {
  return `F "${path.replaceAll(/["\\]/gu, String.raw`\$&`)}"`
}

type Token =
  | { readonly ok: true; readonly path: string; readonly end: number }
  | { readonly ok: false; readonly code: Lp1Code; readonly index: number; readonly message: string }

function readBare(line: string, start: number): Token {
  const path = /^[^ \t]*/u.exec(line.slice(start))?.[0] ?? ''
  const quote = path.indexOf('"')
  if (quote < 0) return { ok: true, path, end: start + path.length }
  const message = 'A bare path contains a double quote; put the whole path in quotes and write \\" for it.'
  return { ok: false, code: 'unexpected_text', index: start + quote, message }
}

function readQuoted(line: string, start: number): Token {
  let path = ''
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line.charAt(at)
    if (char === '"') return { ok: true, path, end: at + 1 }
    if (char !== '\\') {
      path += char
      continue
    }
    at += 1
    const escaped = line.charAt(at)
    if (escaped === '') break
    if (escaped !== '"' && escaped !== '\\') {
      const message = `In a quoted path a backslash may only come before " or another backslash; write \\\\ for one.`
      return { ok: false, code: 'bad_quoted_path_escape', index: at - 1, message }
    }
    path += escaped
  }
  const message = 'The quoted path is never closed; end it with a double quote on the same line.'
  return { ok: false, code: 'unterminated_quoted_path', index: start, message }
}

function skipBlanks(line: string, from: number): number {
  let at = from
  while (line.charAt(at) === ' ' || line.charAt(at) === '\t') at += 1
  return at
}
