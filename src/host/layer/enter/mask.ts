/** Something that a command must not read, and what stands in its place. */
export interface Mask {
  /** Where it is hidden, relative to the root and byte for byte (see exact-name.ts). */
  readonly path: string
  readonly kind: 'file' | 'folder'
  /** A stand-in of the same size and time keeps programs that only compare these, such as git, content. */
  readonly size: number
  readonly modifiedMs: number
  /** The files in a hidden folder that git tracks: they show as stand-ins, so that git does not take them for deleted. */
  readonly tracked?: readonly Mask[]
}
