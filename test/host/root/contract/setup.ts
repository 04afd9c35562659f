import { Buffer } from 'node:buffer'
import type { Resolved, Root } from '../../../../src/host/root/root.ts'
import { makeScratch } from '../../../harness/scratch.ts'
import type { Scratch } from '../../../harness/scratch.ts'

/** Opens one kind of root. */
export type OpenRoot = (path: string) => Root

/** A test body that gets a scratch folder with an open root in it, called `root`. */
export type InScratch = (run: (scratch: Scratch, root: Root) => void | Promise<void>) => () => Promise<void>

/** Makes the wrapper for one kind of root. */
export function scratchWith(open: OpenRoot): InScratch {
  return (run) => async () => {
    const scratch = makeScratch()
    scratch.folder('root')
    const root = open(scratch.at('root'))
    try {
      await run(scratch, root)
    } finally {
      root.close()
    }
  }
}

/** What a file holds. */
export const readText = (root: Root, rel: string): string => {
  const file = root.openFile(rel)
  try {
    return Buffer.from(file.readAll(1_000_000)).toString()
  } finally {
    file.close()
  }
}
/** Where a path leads, in one line. */
export const relOf = (resolved: Resolved): string =>
  resolved.isInside ? resolved.rel : `outside: ${resolved.target}`
/** Everything below a folder, in the order of the walk. */
export const walkAll = (root: Root, from = ''): string[] => {
  const seen: string[] = []
  root.walk(from, (entry) => {
    seen.push(`${entry.path}:${entry.kind}`)
    return 'enter'
  })
  return seen
}
