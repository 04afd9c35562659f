/** The key of a file, from its root and path. */
export function placeOf(root: string, path: string): string {
  return `${root}\0${path}`
}
