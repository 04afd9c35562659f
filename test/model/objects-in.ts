/** Every object in a JSON text. */
export function objectsIn(text: string): readonly unknown[] {
  const found: unknown[] = []
  JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null) found.push(value)
    return value
  })
  return found
}
