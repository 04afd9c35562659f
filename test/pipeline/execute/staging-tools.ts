import { failure } from '../../../src/core/error.ts'
import type { SettledEntry } from '../../../src/journal/entries/entry.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { editor } from '../sample-tools.ts'

/** Text as a file holds it. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Every call that has ended, as the log has it. */
export function settledOf(runtime: Runtime): readonly SettledEntry[] {
  return [...runtime.log()].flatMap(({ entry }) => (entry.kind === 'settled' ? [entry] : []))
}

/** Stages a change, a new file in a new folder and a removal, and then does what `end` says. */
export function stagingThen(end: () => unknown, more: Readonly<Record<string, unknown>> = {}) {
  return editor(
    'stages',
    (_args, { edits, isDryRun }) => {
      edits.write('a.txt', bytes('changed'))
      edits.write('new/folder/n.txt', bytes('new'))
      edits.remove('gone.txt')
      // Whoever is asked sees a preview, and that comes to a good end.
      return isDryRun ? { said: 'preview' } : end()
    },
    more,
  )
}

/** Nobody is asked, so nothing is rehearsed. */
export const AUTO = { 'tools.approval.mode': 'auto' }
/** What the staging tools work on. */
export const FILES = { 'a.txt': 'old', 'gone.txt': 'still here' }

/** The ways in which a running tool can fail. */
export const FAILURES: readonly (readonly [string, ReturnType<typeof editor>, string])[] = [
  [
    'throws',
    stagingThen(() => {
      throw new Error('boom')
    }),
    'crashed',
  ],
  [
    'refuses',
    stagingThen(() => {
      throw failure('execution_failed', 'cannot')
    }),
    'execution_failed',
  ],
  ['answers nonsense', stagingThen(() => ({ said: 7 })), 'output_invalid'],
  [
    'takes too long',
    stagingThen(() => new Promise(() => undefined), { limits: { maxExecutionTimeMs: 20 } }),
    'timeout',
  ],
]
