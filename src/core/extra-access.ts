import type { ExtraAccess } from './powers.ts'

/** What a call asks for beyond the sandbox, as a part of a sentence. */
export function describeExtraAccess({ network, read, write }: ExtraAccess): string {
  const parts = [
    ...(network ? ['NETWORK'] : []),
    ...(read.length > 0 ? [`permission to READ ${read.join(', ')}`] : []),
    ...(write.length > 0 ? [`permission to WRITE ${write.join(', ')}`] : []),
  ]
  return parts.join(' and ')
}

/** The same without the paths, because text from a call must not look like text of ours. */
export function nameExtraAccess({ network, read, write }: ExtraAccess): string {
  const parts = [
    ...(network ? ['NETWORK'] : []),
    ...(read.length > 0 ? ['permission to READ further paths'] : []),
    ...(write.length > 0 ? ['permission to WRITE further paths'] : []),
  ]
  return parts.join(' and ')
}
