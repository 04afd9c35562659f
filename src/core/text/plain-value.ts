import { isJsonObject } from '../json/value.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'

const INDENT = '  '

/**
 * A JSON object as short text for a model: one `name: value` per line, lists as dashes, nothing for null. Used for
 * tools that declare no text of their own.
 */
export function renderPlain(object: JsonObject): string {
  let text = ''
  let shown = 0
  let last: JsonValue = null
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null
    if (!isShown(value)) continue
    text += shown === 0 ? renderField(name, value, '') : `\n${renderField(name, value, '')}`
    shown += 1
    last = value
  }
  return shown === 1 && typeof last === 'string' ? last : shown === 0 ? 'done' : text
}

function renderField(name: string, value: JsonValue, indent: string): string {
  const inner = indent + INDENT
  if (Array.isArray(value))
    return value.length === 0
      ? `${indent}${name}: none`
      : `${indent}${name}:\n${value.map((item) => renderItem(item, inner)).join('\n')}`
  if (isJsonObject(value)) return `${indent}${name}:\n${renderFields(value, inner)}`
  const text = String(value)
  return text.includes('\n') ? `${indent}${name}:\n${text}` : `${indent}${name}: ${text}`
}

function renderFields(object: JsonObject, indent: string): string {
  const fields = Object.entries(object).filter(([, value]) => isShown(value))
  return fields.length === 0
    ? `${indent}none`
    : fields.map(([name, value]) => renderField(name, value, indent)).join('\n')
}

function renderItem(value: JsonValue, indent: string): string {
  if (isJsonObject(value)) return `${indent}- ${renderFields(value, indent + INDENT).trimStart()}`
  return `${indent}- ${Array.isArray(value) ? JSON.stringify(value) : String(value)}`
}

function isShown(value: JsonValue): boolean {
  return value !== null
}
