/** A number of things as a person types it; null where it is none. */
export function readCount(word: string): number | null {
  return /^[1-9]\d{0,5}$/.test(word) ? Number(word) : null
}
