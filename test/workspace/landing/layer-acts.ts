import fc from 'fast-check'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'

/** One thing that a command does. */
export type Act =
  | { readonly is: 'write'; readonly path: string; readonly content: string; readonly mode: number }
  | { readonly is: 'link'; readonly path: string; readonly target: string }
  | { readonly is: 'folder'; readonly path: string; readonly mode: number }
  | { readonly is: 'remove'; readonly path: string }
  | { readonly is: 'mode'; readonly path: string; readonly mode: number }
  | { readonly is: 'owner'; readonly path: string; readonly uid: number }
  | { readonly is: 'move'; readonly path: string; readonly to: string }

const name = fc.constantFrom('a', 'b', 'c')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
const content = fc.constantFrom('', 'one', 'two', 'three\n')
const mode = fc.constantFrom(0o644, 0o755, 0o600, 0o444)
const folderMode = fc.constantFrom(0o755, 0o700, 0o555)
const isRoot = process.getuid?.() === 0

/** Any act on a small tree, so that acts often meet. */
export const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ is: fc.constant('write' as const), path, content, mode }),
  fc.record({ is: fc.constant('link' as const), path, target: fc.constantFrom('a', '../b', '/nowhere') }),
  fc.record({ is: fc.constant('folder' as const), path, mode: folderMode }),
  fc.record({ is: fc.constant('remove' as const), path }),
  fc.record({ is: fc.constant('mode' as const), path, mode: fc.oneof(mode, folderMode) }),
  fc.record({ is: fc.constant('owner' as const), path, uid: fc.constantFrom(0, 1234) }),
  fc.record({ is: fc.constant('move' as const), path, to: path }),
)

/** Does what a command would do; what is not possible is not done. */
export function carryOut(folder: string, acts: readonly Act[]): void {
  for (const one of acts) attempt(() => carryOutOne(folder, one))
}

function carryOutOne(folder: string, one: Act): void {
  const full = join(folder, one.path)
  // Never through a link out of the tree.
  if (isBelowLink(folder, one.path)) return
  switch (one.is) {
    case 'write':
      fs.mkdirSync(dirname(full), { recursive: true })
      if (fs.lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink() === true) fs.unlinkSync(full)
      fs.writeFileSync(full, one.content)
      return fs.chmodSync(full, one.mode)
    case 'link':
      fs.mkdirSync(dirname(full), { recursive: true })
      fs.rmSync(full, { recursive: true, force: true })
      return fs.symlinkSync(one.target, full)
    case 'folder':
      if (fs.lstatSync(full, { throwIfNoEntry: false })?.isDirectory() !== true)
        fs.rmSync(full, { force: true })
      fs.mkdirSync(full, { recursive: true })
      return fs.chmodSync(full, one.mode)
    case 'remove':
      return fs.rmSync(full, { recursive: true, force: true })
    case 'mode':
      return fs.lstatSync(full).isSymbolicLink() ? undefined : fs.chmodSync(full, one.mode)
    case 'owner':
      return isRoot ? fs.lchownSync(full, one.uid, one.uid) : undefined
    case 'move':
      return isBelowLink(folder, one.to) ? undefined : fs.renameSync(full, join(folder, one.to))
  }
}

function isBelowLink(folder: string, rel: string): boolean {
  const parts = rel.split('/')
  return parts
    .slice(0, -1)
    .some((_, index) =>
      fs.lstatSync(join(folder, ...parts.slice(0, index + 1)), { throwIfNoEntry: false })?.isSymbolicLink(),
    )
}

function attempt(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
  }
}
