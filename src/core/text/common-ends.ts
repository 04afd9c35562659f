/** Texts are compared in pieces of this many characters, which is quicker than one by one. */
const PIECE = 256

/** How many characters two texts have in common at their beginning. */
export function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.slice(at, at + PIECE) === other.slice(at, at + PIECE)) at += PIECE
  if (at > most) at = most
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}

/** How many characters they have in common at their end, of those from a place on. */
export function commonEnd(one: string, other: string, from: number): number {
  const most = Math.min(one.length, other.length) - from
  const isSame = (back: number, length: number): boolean =>
    one.slice(one.length - back - length, one.length - back) ===
    other.slice(other.length - back - length, other.length - back)
  let back = 0
  while (back + PIECE <= most && isSame(back, PIECE)) back += PIECE
  while (back < most && isSame(back, 1)) back++
  return back
}
