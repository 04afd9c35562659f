/** Whether a name matches a pattern with `*` and `?`; backtracking to the latest star is enough. */
export function matchesName(pattern: string, name: string): boolean {
  let at = 0
  let star = -1
  let retry = 0
  for (let next = 0; next < name.length;) {
    if (pattern[at] === '*') {
      star = at
      retry = next
      at += 1
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[next])) {
      at += 1
      next += 1
    } else if (star === -1) return false
    else {
      retry += 1
      next = retry
      at = star + 1
    }
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}
