import type { JsonValue } from './value.ts'

/** What a text holds as JSON; undefined where it is none. For text of which nobody is told what is wrong with it. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
