import type { Tool } from '../core/tool.ts'
import { applyPatch } from './apply-patch.ts'
import { listDirectory } from './list-directory.ts'
import { readFile } from './read-file.ts'
import { writeFile } from './write-file.ts'

/** The tools every runtime has. */
export const builtInTools: readonly Tool[] = [applyPatch, listDirectory, readFile, writeFile]
