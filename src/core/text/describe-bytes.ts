const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size for people to read, such as `1.5 MiB`. */
export function describeBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  const shown = unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10
  return `${shown} ${shown === 1 && unit === 0 ? 'byte' : (UNITS[unit] ?? 'bytes')}`
}
