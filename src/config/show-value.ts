import { printedAddress, printedWords } from '../core/text/secrets/printed-words.ts'

const LONGEST_SHOWN = 120

/** The text with control and invisible characters escaped. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** A value as written in a configuration file, shortened. */
export function showValue(value: unknown): string {
  const text = escapeInvisible(spell(value, 0))
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text
}

function spell(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_SHOWN))
  if (typeof value !== 'object' || value === null || value instanceof Date) return String(value)
  if (depth > 3) return '…'
  if (Array.isArray(value))
    return `[${value
      .slice(0, 40)
      .map((item) => spell(item, depth + 1))
      .join(', ')}]`
  const entries = Object.entries(value).slice(0, 20)
  if (entries.length === 0) return '{}'
  return `{ ${entries.map(([name, item]) => `${name} = ${spell(item, depth + 1)}`).join(', ')} }`
}

/** The value found, with its type: `the string "5"`. */
export function describeFound(value: unknown): string {
  if (typeof value === 'string') return `the string ${showValue(value)}`
  if (typeof value === 'boolean') return `the boolean ${String(value)}`
  if (typeof value === 'bigint') return `the integer ${showValue(value)}`
  if (typeof value === 'number')
    return `the ${Number.isInteger(value) ? 'integer' : 'float'} ${String(value)}`
  if (value instanceof Date) return 'a date'
  if (Array.isArray(value)) return `the list ${showValue(value)}`
  return typeof value === 'object' && value !== null ? 'a table' : `${String(value)}`
}

/** The type of a value whose content is nobody's business. */
export function describeType(value: unknown): string {
  if (value instanceof Date) return 'a date'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'bigint') return 'a number'
  return typeof value === 'object' && value !== null ? 'a table' : `a ${typeof value}`
}

/** Keys whose values are commands and addresses, in which people write secrets although there are better places. */
const MAY_HOLD_SECRETS: ReadonlySet<string> = new Set([
  'mcp.servers',
  'model.base_url',
  'model.key_command',
  'notify.command',
  'tools.gates',
])

/** Whether nothing of a value of this key should be quoted. */
export function mayHoldSecrets(key: string): boolean {
  return MAY_HOLD_SECRETS.has(key)
}

/** A value as it is printed with the settings: what looks like a secret in a command or an address is hidden. */
export function printedValue(key: string, value: unknown): unknown {
  return mayHoldSecrets(key) ? hide(JSON.parse(JSON.stringify(value))) : value
}

function hide(value: unknown): unknown {
  if (typeof value === 'string') return printedAddress(value)
  if (Array.isArray(value)) return value.every(isText) ? printedWords(value) : value.map(hide)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hide(one)]))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
