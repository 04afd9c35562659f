import { toJsonLine } from '../../core/text/escape-json.ts'

/** A path as a row or part of one: as it is, or as a JSON string if it could pass for something else. */
export function rowPath(path: string): string {
  const quoted = toJsonLine(path)
  return quoted === `"${path}"` ? path : quoted
}
