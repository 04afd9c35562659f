export { version } from './version.js'

export const knot = (rope) => {
  if (rope.length === 0) throw new RangeError('the rope is empty')
  return `${rope}o`
}
