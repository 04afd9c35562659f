import { join } from 'node:path'
import { PROJECT_CONFIG_NAME } from '../../../host/fs/folders.ts'
import { readTextIfExists } from '../../../host/fs/plain-file.ts'
import { trust as storeTrust } from '../../../runtime/configure/trust.ts'
import type { ParsedLine } from '../arguments.ts'
import { findFolders } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs trust`: lets the project's configuration file, exactly as it is, loosen settings too. */
export async function trust(line: ParsedLine, terminal: Terminal): Promise<number> {
  const { root, stateDir } = findFolders(line)
  const path = join(root, PROJECT_CONFIG_NAME)
  const text = readTextIfExists(path, 'project')
  if (text === null)
    throw new UsageError(
      `${path} does not exist`,
      'there is nothing to trust; name another project with --root',
    )
  const fingerprint = storeTrust(stateDir, root, text)
  if (line.has('--json')) terminal.json({ trusted: path, digest: fingerprint })
  else terminal.print(safe(`${path} is trusted as it is now; any change to it ends the trust.`))
  return 0
}
