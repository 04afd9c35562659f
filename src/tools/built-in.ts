import type { Tool } from '../core/tool.ts'
import { applyPatch } from './apply-patch.ts'
import { delegate } from './delegating/delegate.ts'
import { deletePath } from './delete-path.ts'
import { editFile } from './edit-file.ts'
import { editRegion } from './edit-region.ts'
import { glob } from './glob.ts'
import { listDirectory } from './list-directory.ts'
import { listFiles } from './list-files.ts'
import { movePath } from './move-path.ts'
import { multiEdit } from './multi-edit.ts'
import { outline } from './outline.ts'
import { readFile } from './read-file.ts'
import { replace } from './replace.ts'
import { search } from './search.ts'
import { writeFile } from './write-file.ts'
import { taskTool } from './task.ts'
import { todoWrite } from './todo-write.ts'
import { webFetch } from './web/web-fetch.ts'
import { runCommand } from './run-command.ts'
import { runShell } from './run-shell.ts'
import { runTests } from './run-tests.ts'

/** The tools every runtime has. */
export const builtInTools: readonly Tool[] = [
  applyPatch,
  delegate,
  deletePath,
  editFile,
  editRegion,
  glob,
  listDirectory,
  listFiles,
  movePath,
  multiEdit,
  outline,
  readFile,
  replace,
  search,
  runCommand,
  runShell,
  runTests,
  taskTool,
  todoWrite,
  webFetch,
  writeFile,
]

/** Whether a tool is built in, by its name. */
export function isBuiltIn(name: string): boolean {
  return builtInTools.some((tool) => tool.name === name)
}
