/** Anything that JSON can say. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue }

/** True for a plain JSON object, false for null, arrays and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How deep arguments may nest; their own object is level 1. */
export const MAX_DEPTH = 64
