/** Runs `body` while every object inherits these fields; nothing else of the process may run meanwhile. */
export function polluted<T>(fields: Readonly<Record<string, unknown>>, body: () => T): T {
  const names = Object.keys(fields)
  const { prototype } = Object
  for (const name of names)
    Object.defineProperty(prototype, name, { value: fields[name], configurable: true })
  try {
    return body()
  } finally {
    for (const name of names) Reflect.deleteProperty(prototype, name)
  }
}
