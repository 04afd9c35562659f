import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the package that a module lies in, whether it runs from a checkout, bundled or installed. */
export function findPackageFolder(from: string): string {
  for (let folder = from; ; folder = join(folder, '..')) {
    if (existsSync(join(folder, 'package.json')) || folder === join(folder, '..')) return folder
  }
}
