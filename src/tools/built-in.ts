import type { Tool } from '../core/tool.ts'
import { applyPatch } from './apply-patch.ts'
import { deletePath } from './delete-path.ts'
import { editFile } from './edit-file.ts'
import { editRegion } from './edit-region.ts'
import { listDirectory } from './list-directory.ts'
import { movePath } from './move-path.ts'
import { multiEdit } from './multi-edit.ts'
import { readFile } from './read-file.ts'
import { writeFile } from './write-file.ts'

/** The tools every runtime has. */
export const builtInTools: readonly Tool[] = [
  applyPatch,
  deletePath,
  editFile,
  editRegion,
  listDirectory,
  movePath,
  multiEdit,
  readFile,
  writeFile,
]
