/** A word in quotes, with escapes, or plain, as a shell reads it. */
const SHELL_WORD = /(?:[^\s"'\\;&|]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs
/** The same as git reads it, for which the signs of a shell between commands are letters. */
const GIT_WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs
const QUOTED_PART = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs

/** The words of a line without their quotes, as a shell reads them. */
export function shellWordsOf(line: string): readonly string[] {
  return wordsOf(line, SHELL_WORD)
}

/** The words of an alias without its quotes, as git reads them. */
export function gitWordsOf(line: string): readonly string[] {
  return wordsOf(line, GIT_WORD)
}

function wordsOf(line: string, pattern: RegExp): readonly string[] {
  return [...line.matchAll(pattern)].map(([word]) =>
    word.replaceAll(
      QUOTED_PART,
      (_, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replaceAll(/\\(.)/gs, '$1') ?? single ?? '',
    ),
  )
}
