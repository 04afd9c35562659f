import type { ExtraAccess } from '../../core/powers.ts'
import { array, boolean, optional, string } from '../../schema/schema.ts'
import type { Risk } from '../../core/tool.ts'
import { describeExtraAccess } from '../../core/extra-access.ts'

/** The approver has to read every one of them. */
const MOST_PATHS = 16

/** Arguments for access beyond the sandbox; the approver is asked about each such call. */
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

/** The parsed form of these arguments. */
export interface ExtraAccessArguments {
  readonly network?: boolean
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

/** The access that the arguments ask for; null if none. */
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

/** Begins a summary with the extra access, so that a long command cannot hide it. */
export function leadWith(args: ExtraAccessArguments, lead: string): string {
  const extraAccess = readExtraAccess(args)
  return extraAccess === null ? `${lead}:` : `${lead} with ${describeExtraAccess(extraAccess)}:`
}
