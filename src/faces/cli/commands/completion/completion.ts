import type { ParsedLine } from '../../arguments.ts'
import { findCandidates } from '../../complete/find-candidates.ts'
import type { Candidates } from '../../complete/find-candidates.ts'
import { createLookUp } from '../../complete/look-up.ts'
import { completionScript, isShell, SHELLS } from '../../complete/shell-scripts.ts'
import { UsageError } from '../../errors.ts'
import { safe } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'

/** What a shell takes as one plain word; other names are left out instead of quoted three ways. */
const PLAIN_WORD = /^[\w.:@%+=,/-]+$/
const SAYS_CHARS = 60

/** `tongs completion bash|zsh|fish` prints a script; `completion words -- WORDS` is what the scripts call. */
export async function completion(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [what = '', ...typed] = line.words
  if (what === 'words') return answer(typed, terminal)
  if (!isShell(what) || typed.length > 0)
    throw new UsageError(
      `there is no completion for ${JSON.stringify([what, ...typed].join(' '))}`,
      `try tongs completion ${SHELLS.join(', ')}`,
    )
  terminal.write(completionScript(what))
  return 0
}

/** A shell waits for this in the middle of a line: it never prints an error, and asks nothing. */
async function answer(typed: readonly string[], terminal: Terminal): Promise<number> {
  const quiet: Terminal = { ...terminal, warn: () => {}, writeNotice: () => {} }
  const found = await findCandidates(typed, createLookUp(quiet)).catch((): Candidates => ({
    kind: 'words',
    rows: [],
  }))
  terminal.print(found.kind)
  if (found.kind !== 'words') return 0
  for (const { value, says } of found.rows)
    if (PLAIN_WORD.test(value)) terminal.print(`${value}\t${shorten(safe(says))}`)
  return 0
}

function shorten(says: string): string {
  const line = says.replaceAll(/\s+/g, ' ').trim()
  return line.length > SAYS_CHARS ? `${line.slice(0, SAYS_CHARS - 1)}…` : line
}
