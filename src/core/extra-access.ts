import type { Wishes } from './powers.ts'

/** What a call wants for its command beyond the sandbox, as a part of a sentence. */
export function describeWishes({ network, read, write }: Wishes): string {
  const parts = [
    ...(network ? ['NETWORK'] : []),
    ...(read.length > 0 ? [`leave to READ ${read.join(', ')}`] : []),
    ...(write.length > 0 ? [`leave to WRITE ${write.join(', ')}`] : []),
  ]
  return parts.join(' and ')
}

/** The same without the paths: what comes from a call must not pass for words of ours. */
export function nameWishes({ network, read, write }: Wishes): string {
  const parts = [
    ...(network ? ['NETWORK'] : []),
    ...(read.length > 0 ? ['to READ further paths'] : []),
    ...(write.length > 0 ? ['to WRITE further paths'] : []),
  ]
  return parts.join(' and ')
}
