import { join } from 'node:path'
import { PROJECT_CONFIG_NAME } from '../../../host/fs/folders.ts'
import { readTextIfExists } from '../../../host/fs/plain-file.ts'
import { projectCommandsFolder, trustCommands } from '../../../runtime/commands/find-commands.ts'
import { trustPrompts } from '../../../runtime/prompt-files/find-prompt-files.ts'
import { trustSkills } from '../../../runtime/skills/find-skills.ts'
import { trust as storeTrust } from '../../../runtime/configure/trust.ts'
import type { ParsedLine } from '../arguments.ts'
import { findWitnessed } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs trust`: lets the project's configuration file, exactly as it is, loosen settings too, and its commands, roles and skills be used. */
export async function trust(line: ParsedLine, terminal: Terminal): Promise<number> {
  const places = await findWitnessed(line, terminal)
  const { root } = places
  const path = join(root, PROJECT_CONFIG_NAME)
  const text = readTextIfExists(path, 'project')
  const commands = trustCommands(places)
  const roles = trustPrompts(places, 'roles')
  const skills = trustSkills(places)
  if (text === null && commands.length === 0 && roles.length === 0 && skills.length === 0)
    throw new UsageError(
      `${path} does not exist, and there are neither commands in ${projectCommandsFolder(root)} nor roles beside them nor skills`,
      'there is nothing to trust; name another project with --root',
    )
  const file = text === null ? {} : { trusted: path, digest: storeTrust(places, root, text) }
  if (line.has('--json')) {
    terminal.json({ ...file, commands, roles, skills })
    return 0
  }
  for (const one of [...(text === null ? [] : [path]), ...commands, ...roles, ...skills])
    terminal.print(safe(`${one} is trusted as it is now; any change to it ends the trust.`))
  return 0
}
