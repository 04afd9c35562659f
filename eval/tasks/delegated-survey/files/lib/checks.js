export function isPositive(value) {
  return Number.isInteger(value) && value > 0
}

export function isText(value) {
  return typeof value === 'string'
}

export function isEmpty(list) {
  return list.length === 0
}
