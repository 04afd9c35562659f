/** Whether a number is a whole multiple of another, both taken as the decimal numbers that were written down. */
export function isMultipleOf(value: number, unit: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(unit)) return value % unit === 0
  if (!Number.isFinite(value)) return false
  const one = toDecimal(value)
  const other = toDecimal(unit)
  const exponent = Math.min(one.exponent, other.exponent)
  // Scaled to whole numbers: what binary fractions make of 0.3 / 0.1 would be 2.9999999999999996.
  return scale(one, exponent) % scale(other, exponent) === 0n
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
