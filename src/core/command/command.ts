/** A command as a tool is given it: a line for a shell, or the words themselves. */
export type Command =
  | { readonly kind: 'line'; readonly text: string }
  | {
      readonly kind: 'words'
      readonly words: readonly string[]
      /** Whether something beside the words decides what happens, such as variables or what the program reads. */
      readonly isAltered?: boolean
    }
