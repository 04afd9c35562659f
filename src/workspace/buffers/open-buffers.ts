/**
 * The files that are open in an editor, where their text may differ from what is saved. The editor is asked about a file
 * before a call reads or changes it; what it said holds until it is asked again.
 */
export interface OpenBuffers {
  /** Asks the editor about these files, by absolute path. */
  readonly refresh: (places: readonly string[]) => Promise<void>
  /** What the editor said that a file holds; null if it has not said anything. */
  readonly held: (place: string) => HeldText | null
  /** Notes that the text of a place is what its file holds, wherever it came from. */
  readonly agree: (place: string) => void
  /** Why the editor lets no one change a file, saved or not; null if it has not said so. */
  readonly lockOf: (place: string) => string | null
  /** Why the text of a buffer cannot be changed through the editor; null if it can. */
  readonly readOnly: () => string | null
  /** Changes the text of a buffer. */
  readonly write: (place: string, text: string) => Promise<Written>
}

/** The text that an editor gave for a path. */
export interface HeldText {
  readonly text: string
  /**
   * The file that the path led to the whole time while the editor was asked, as `identityOf` tells it; null if it may have
   * led elsewhere then or earlier, and the editor may have kept the text of another file since.
   */
  readonly file: string | null
}

/** What came of a change through the editor. */
export type Written =
  | { readonly is: 'written' }
  | { readonly is: 'refused'; readonly why: string }
  /** It may have changed the text or not, or may still do so. */
  | { readonly is: 'unknown'; readonly why: string }
