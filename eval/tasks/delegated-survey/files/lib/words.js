import { isEmpty } from './checks.js'

const collator = new Intl.Collator('en')

/** Compares texts as a dictionary does. */
export function compareText(one, other) {
  return collator.compare(one, other)
}

/** A list in words: a, b and c. */
export function formatList(list) {
  if (isEmpty(list)) return 'nothing'
  return list.length === 1 ? `${list[0]}` : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`
}

/** A text with its first letter as a capital one. */
export function capitalize(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
