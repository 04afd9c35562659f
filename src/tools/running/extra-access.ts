import type { ExtraAccess } from '../../core/powers.ts'
import { array, boolean, optional, string } from '../../schema/schema.ts'
import type { Risk } from '../../core/tool.ts'
import { describeExtraAccess } from '../../core/extra-access.ts'

/** A person has to read every one of them. */
const MOST_PATHS = 16

/** Arguments by which a call asks for more than the sandbox gives; a person is asked about each such call. */
export const extraAccessArguments = {
  network: optional(boolean('Whether the command needs network; a person is asked')),
  read: optional(
    array(
      string('An absolute path', { minLength: 1 }),
      'Paths outside the root it has to read; a person is asked',
      {
        maxItems: MOST_PATHS,
      },
    ),
  ),
  write: optional(
    array(
      string('An absolute path', { minLength: 1 }),
      'Paths outside the root it has to write; a person is asked',
      {
        maxItems: MOST_PATHS,
      },
    ),
  ),
}

/** Those arguments, as they are read. */
export interface ExtraAccessArguments {
  readonly network?: boolean
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

/** What the arguments ask for; null if that is nothing. */
export function readExtraAccess({
  network = false,
  read = [],
  write = [],
}: ExtraAccessArguments): ExtraAccess | null {
  return network || read.length > 0 || write.length > 0 ? { network, read, write } : null
}

/** A command with access beyond its sandbox has the highest risk. */
export function riskWith(args: ExtraAccessArguments, risk: Risk): Risk {
  return readExtraAccess(args) === null ? risk : 'High'
}

/** The beginning of a summary, which names the extra access first, so a long command cannot hide it. */
export function leadWith(args: ExtraAccessArguments, lead: string): string {
  const extraAccess = readExtraAccess(args)
  return extraAccess === null ? `${lead}:` : `${lead} with ${describeExtraAccess(extraAccess)}:`
}
