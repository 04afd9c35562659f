/** What models call the path of a file by mistake. */
export const PATH_SLIPS = { file_path: 'path', filepath: 'path', filename: 'path', file: 'path' } as const

/** What models call the old and the new text of a replacement by mistake. */
export const REPLACEMENT_SLIPS = {
  old_string: 'old',
  old_str: 'old',
  old_text: 'old',
  new_string: 'new',
  new_str: 'new',
  new_text: 'new',
} as const
