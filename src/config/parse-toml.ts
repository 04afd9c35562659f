import type { Position } from '../core/text/position.ts'

export type TomlReading =
  | { readonly ok: true; readonly table: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string; readonly position?: Position }

const DEEPEST = 64
/** A file of this size is no configuration; it may come with a project, from anybody. */
const LONGEST_TEXT = 1024 ** 2

/** Reads a TOML text. The parser is loaded only now: most runs have no text to read. */
export async function parseToml(text: string): Promise<TomlReading> {
  if (text.length > LONGEST_TEXT) {
    return {
      ok: false,
      message: `it is longer than ${String(LONGEST_TEXT)} characters, too long for a configuration`,
    }
  }
  if (text.trim() === '') return { ok: true, table: {} }
  const { parse, TomlError } = await import('smol-toml')
  try {
    return { ok: true, table: parse(text, { integersAsBigInt: 'asNeeded', maxDepth: DEEPEST }) }
  } catch (error) {
    const [firstLine = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    const message = `it is not valid TOML: ${firstLine.replace(/^Invalid TOML document: /, '')}`
    if (!(error instanceof TomlError)) return { ok: false, message }
    return { ok: false, message, position: { line: error.line, column: error.column } }
  }
}
