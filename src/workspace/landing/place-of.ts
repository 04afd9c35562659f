/** A file of a root; two roots may hold files of one path. */
export interface FilePlace {
  readonly root: string
  readonly path: string
}

/** The key of a file, from its root and path. */
export function placeOf(root: string, path: string): string {
  return `${root}\0${path}`
}
