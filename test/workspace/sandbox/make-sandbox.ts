import { onTestFinished } from 'vitest'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import type { Sandbox, SandboxOptions } from '../../../src/workspace/sandbox/sandbox.ts'
import type { Scratch } from '../../harness/scratch.ts'

/** Opens a root until the test ends. */
export function openForTest(path: string): Root {
  const root = openRoot(path)
  onTestFinished(root.close)
  return root
}

/** A sandbox over folders of a scratch folder, strict unless told otherwise. */
export function makeSandbox(
  scratch: Scratch,
  options: Partial<SandboxOptions> & { rootNames?: string[] } = {},
): Sandbox {
  const [first = 'root', ...others] = options.rootNames ?? ['root']
  return createSandbox({
    roots: [openForTest(scratch.folder(first)), ...others.map((name) => openForTest(scratch.folder(name)))],
    deniedPatterns: options.deniedPatterns ?? [],
    allowAbsolute: options.allowAbsolute ?? false,
    includeDefaultDenies: options.includeDefaultDenies ?? true,
  })
}

/** What a file holds, read as a tool would. */
export function readText(sandbox: Sandbox, path: string): string {
  const { root, rel } = sandbox.locate(path, 'read')
  const file = root.openFile(rel)
  try {
    return Buffer.from(file.readAll(100_000)).toString()
  } finally {
    file.close()
  }
}
