import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('inner-hole-process.ts', import.meta.url))
const isRoot = process.getuid?.() === 0

/** In a namespace of its own, which takes the mount with it. */
function runWith(...words: readonly string[]): unknown {
  const argv = ['-m', process.execPath, PROGRAM, ...words]
  return JSON.parse(execFileSync('unshare', argv, { encoding: 'utf8' }))
}

// Others work on a copy where something is mounted.
it.runIf(isRoot).each(['with native code', 'without native code'])(
  'what a mount in a folder of passthrough covers does not show, also if the folder above it is exchanged for a link (%s)',
  (how) => {
    expect(runWith(how, 'calm')).toEqual({ stdout: 'mounted', starts: 1 })
    expect(runWith(how, 'swapped')).toEqual({ stdout: 'mounted', starts: 2 })
  },
)
