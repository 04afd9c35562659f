import { absoluteOf } from '../host/root/rel-path.ts'
import type { Sandbox } from './sandbox.ts'

/** Everything in the roots that no tool may see, as absolute paths; what lies below a denied folder is not named again. */
export function findDenied(sandbox: Sandbox): readonly string[] {
  const found: string[] = []
  for (const root of sandbox.roots) {
    root.walk('', ({ exactPath, name }) => {
      // Git's own folder is shielded by the sandbox itself, so that git still works.
      if (name === '.git') return 'pass'
      if (sandbox.findDeny(root, exactPath, 'read') === null) return 'enter'
      found.push(absoluteOf(root.path, exactPath))
      return 'pass'
    })
  }
  return found
}
