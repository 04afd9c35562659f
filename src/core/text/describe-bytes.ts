const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size for people to read, such as `1.5 MiB`. */
export function describeBytes(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  let value = bytes / 1024
  let unit = 0
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit] ?? ''}`
}
