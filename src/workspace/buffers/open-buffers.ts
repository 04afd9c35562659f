/**
 * The files that are open in an editor, where their text may differ from what is saved. The editor is asked about a file
 * before a call reads or changes it; what it said holds until it is asked again.
 */
export interface OpenBuffers {
  /** Asks the editor about these files, by absolute path. */
  readonly refresh: (places: readonly string[]) => Promise<void>
  /** What the editor said that a file holds; null if it has not said anything. */
  readonly text: (place: string) => string | null
  /** Why the text of a buffer cannot be changed through the editor; null if it can. */
  readonly readOnly: () => string | null
  /** Changes the text of a buffer; rejects if the editor refuses. */
  readonly write: (place: string, text: string) => Promise<void>
}
