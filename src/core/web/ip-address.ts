/** A network in numbers: its first address, how many bits of it count, and what it is for. */
type Network<Parts> = readonly [first: Parts, bits: number, use: string]

/** What of IPv4 is not the public internet, after the registries of special purpose and multicast addresses. */
const CLOSED_4: readonly Network<readonly number[]>[] = [
  [[0, 0, 0, 0], 8, 'unspecified'],
  [[10, 0, 0, 0], 8, 'private'],
  [[100, 64, 0, 0], 10, 'shared by customers of a provider'],
  [[127, 0, 0, 0], 8, 'loopback'],
  [[169, 254, 0, 0], 16, 'link-local'],
  [[172, 16, 0, 0], 12, 'private'],
  [[192, 0, 0, 0], 24, 'reserved'],
  [[192, 0, 2, 0], 24, 'reserved'],
  [[192, 88, 99, 0], 24, 'reserved'],
  [[192, 168, 0, 0], 16, 'private'],
  [[198, 18, 0, 0], 15, 'reserved'],
  [[198, 51, 100, 0], 24, 'reserved'],
  [[203, 0, 113, 0], 24, 'reserved'],
  [[224, 0, 0, 0], 4, 'multicast'],
  [[240, 0, 0, 0], 4, 'reserved'],
]

/** What of IPv6 is known not to be; beyond this list only `2000::/3` is in public use. */
const CLOSED_6: readonly Network<readonly number[]>[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0], 128, 'unspecified'],
  [[0, 0, 0, 0, 0, 0, 0, 1], 128, 'loopback'],
  [[0, 0, 0, 0, 0, 0xffff, 0, 0], 96, 'an IPv4 address in disguise'],
  [[0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 32, 'translated to IPv4'],
  [[0x2001, 0, 0, 0, 0, 0, 0, 0], 23, 'reserved'],
  [[0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, 'reserved'],
  [[0x2002, 0, 0, 0, 0, 0, 0, 0], 16, 'an IPv4 address in disguise'],
  [[0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, 'reserved'],
  [[0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, 'private'],
  [[0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, 'link-local'],
  [[0xff00, 0, 0, 0, 0, 0, 0, 0], 8, 'multicast'],
]

const PUBLIC_6: Network<readonly number[]> = [[0x2000, 0, 0, 0, 0, 0, 0, 0], 3, 'public']

const BYTE = 8
const GROUP = 16

/**
 * Why an IP address does not belong to the public internet, as a word or two; null if it does. What cannot be read as an
 * address does not belong to it either.
 */
export function closedUse(address: string): string | null {
  const four = parseIPv4(address)
  if (four !== null) return findUse(CLOSED_4, four, BYTE)
  const six = parseIPv6(address)
  if (six === null) return 'not readable'
  return findUse(CLOSED_6, six, GROUP) ?? (isWithin(PUBLIC_6, six, GROUP) ? null : 'reserved')
}

/** Whether a text is an IP address in its plain spelling. */
export function isIpAddress(text: string): boolean {
  return parseIPv4(text) !== null || parseIPv6(text) !== null
}

/** Whether two texts are the same IP address, whatever their spelling. */
export function isSameAddress(one: string, other: string): boolean {
  const first = parseIPv4(one) ?? parseIPv6(one)
  const second = parseIPv4(other) ?? parseIPv6(other)
  return first !== null && first.join() === second?.join()
}

function findUse(networks: readonly Network<readonly number[]>[], parts: readonly number[], width: number) {
  return networks.find((network) => isWithin(network, parts, width))?.[2] ?? null
}

function isWithin([first, bits]: Network<readonly number[]>, parts: readonly number[], width: number) {
  return parts.every((part, index) => {
    const counted = Math.min(Math.max(bits - index * width, 0), width)
    const mask = (2 ** width - 1) & ~(2 ** (width - counted) - 1)
    return (part & mask) === ((first[index] ?? 0) & mask)
  })
}

/** The four bytes of an address in its plain decimal spelling, or null; what systems read beside it is not accepted. */
function parseIPv4(text: string): readonly number[] | null {
  const words = text.split('.')
  if (words.length !== 4 || !words.every((word) => /^(?:0|[1-9]\d{0,2})$/.test(word))) return null
  const parts = words.map(Number)
  return parts.every((part) => part <= 255) ? parts : null
}

/** The eight groups of an address, or null. One with a zone belongs to a link and is not read. */
function parseIPv6(text: string): readonly number[] | null {
  const [head = '', tail, ...more] = text.split('::')
  if (more.length > 0) return null
  const before = readGroups(head)
  const after = tail === undefined ? [] : readGroups(tail)
  if (before === null || after === null) return null
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  return [...before, ...Array.from({ length: missing }, () => 0), ...after]
}

/** Groups between colons, the last two of which may be written as an IPv4 address. */
function readGroups(text: string): readonly number[] | null {
  if (text === '') return []
  const words = text.split(':')
  const last = parseIPv4(words.at(-1) ?? '')
  const [one = 0, two = 0, three = 0, four = 0] = last ?? []
  const plain = last === null ? words : words.slice(0, -1)
  if (!plain.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return null
  const groups = plain.map((word) => Number.parseInt(word, 16))
  return last === null ? groups : [...groups, one * 256 + two, three * 256 + four]
}
