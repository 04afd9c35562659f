/** A queue in a ring of a few places, which grows if it is full. */
export function createQueue(size) {
  let ring = new Array(size)
  let first = 0
  let count = 0
  return {
    add(value) {
      if (count === ring.length) {
        ring = [...ring.slice(first), ...ring.slice(0, first), ...new Array(ring.length)]
        first = 0
      }
      ring[(first + count) % ring.length] = value
      count += 1
    },
    take() {
      if (count === 0) return undefined
      const value = ring[first]
      ring[first] = undefined
      first = first + 1
      count -= 1
      return value
    },
  }
}
