import { compareText } from './words.js'

/** Each value once. */
export function unique(list) {
  return [...new Set(list)]
}

/** Each value once, sorted. */
export function uniqueSorted(list) {
  return unique(list).toSorted(compareText)
}
