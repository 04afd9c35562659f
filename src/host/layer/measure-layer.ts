import { join } from 'node:path'
import type { Layer } from '../../core/layer.ts'
import { openRoot } from '../root/open-root.ts'
import { absoluteOf } from '../root/rel-path.ts'
import { UPPER } from './layer.ts'

/** A file that a command wrote, at the place where it shows. */
export interface WrittenFile {
  readonly path: string
  readonly bytes: number
}

/** How many names are looked at in one step. */
const NAMES_PER_STEP = 200

/**
 * Finds what commands have written on a layer so far, also while one is running: by open folders, as a command may swap
 * a folder for a link at any time. What vanishes meanwhile, or cannot be looked into, is left out.
 */
export function* measureLayer({ parts }: Layer): Generator<null, readonly WrittenFile[]> {
  const files: WrittenFile[] = []
  for (const { root, folder } of parts) {
    const upper = openRoot(join(folder, UPPER))
    const walk = upper.startWalk('', 'name')
    try {
      let names = 0
      for (let entry = walk.next(); entry !== null; entry = walk.next()) {
        if (++names % NAMES_PER_STEP === 0) yield null
        if (entry.kind === 'dir') walk.enter()
        else {
          const stat = entry.stat()
          const bytes = 'fault' in stat || stat.kind !== 'file' ? 0 : stat.size
          files.push({ path: absoluteOf(root, entry.exactPath), bytes })
        }
      }
    } finally {
      walk.close()
      upper.close()
    }
  }
  return files
}
