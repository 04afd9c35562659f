/** Makes something when it is first wanted, and keeps it. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}
