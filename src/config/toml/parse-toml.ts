import type { Position } from '../../core/text/position.ts'

export type TomlReading =
  | { readonly ok: true; readonly table: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string; readonly position?: Position }

const DEEPEST = 64
/** A larger file is not a configuration; it may come from an untrusted project. */
const LONGEST_TEXT = 1024 ** 2

/** Parses TOML. The parser is loaded on demand: most runs have nothing to parse. */
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
    const table = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: DEEPEST })
    // The parser limits brackets and braces, and not the parts of a dotted key.
    if (!isDeeper(table, DEEPEST)) return { ok: true, table }
    return { ok: false, message: `its tables are nested deeper than ${String(DEEPEST)} levels` }
  } catch (error) {
    const [firstLine = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    const message = `it is not valid TOML: ${firstLine.replace(/^Invalid TOML document: /, '')}`
    if (!(error instanceof TomlError)) return { ok: false, message }
    return { ok: false, message, position: { line: error.line, column: error.column } }
  }
}

/** Whether something has values that are more than so many levels down. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}

export type ValueReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

const PLAIN_STRING = /^"[^"\\\p{Cc}]*"$|^'[^'\p{Cc}]*'$/u
const PLAIN_LIST = /^\[\s*(?:"[^"\\\p{Cc}]*"\s*(?:,\s*"[^"\\\p{Cc}]*"\s*)*)?\]$/u

/** Reads the value of `--set` or of a variable: a TOML value or a bare word. Common forms need no TOML parser. */
export async function parseValue(text: string): Promise<ValueReading> {
  const given = text.trim()
  if (given === '') return { ok: false, message: 'it has no value' }
  if (given === 'true' || given === 'false') return { ok: true, value: given === 'true' }
  if (/^-?(?:0|[1-9]\d{0,14})$/.test(given)) return { ok: true, value: Number(given) }
  if (PLAIN_STRING.test(given)) return { ok: true, value: given.slice(1, -1) }
  if (PLAIN_LIST.test(given)) return { ok: true, value: JSON.parse(given) }

  const isMarked = /^["'[{]/.test(given)
  if (isMarked || /^[+-]?(?:\d|inf$|nan$)/.test(given)) {
    const reading = await parseToml(`value = ${given}`)
    const isOneValue = reading.ok && Object.keys(reading.table).join() === 'value'
    if (isOneValue) return { ok: true, value: reading.table['value'] }
    if (isMarked) return { ok: false, message: reading.ok ? 'it holds more than one value' : reading.message }
  }
  // Something that only begins like a number is still accepted if it is a single word.
  return /[\s\p{Cc}]/u.test(given)
    ? {
        ok: false,
        message: 'it is neither a TOML value nor a single word; put quotes around a text with blanks',
      }
    : { ok: true, value: given }
}
