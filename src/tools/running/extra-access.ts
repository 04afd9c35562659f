import type { Wishes } from '../../core/powers.ts'
import { array, boolean, optional, string } from '../../schema/schema.ts'
import type { Risk } from '../../core/tool.ts'
import { describeWishes } from '../../core/extra-access.ts'

/** A person has to read every one of them. */
const MOST_PATHS = 16

/** Arguments by which a call asks for more than the sandbox gives; a person is asked about each such call. */
export const wishArguments = {
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
export interface WishArguments {
  readonly network?: boolean
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

/** What the arguments ask for; null where that is nothing. */
export function readWishes({ network = false, read = [], write = [] }: WishArguments): Wishes | null {
  return network || read.length > 0 || write.length > 0 ? { network, read, write } : null
}

/** A command that is to leave its sandbox in any way is as risky as they get. */
export function riskWith(args: WishArguments, risk: Risk): Risk {
  return readWishes(args) === null ? risk : 'High'
}

/** The beginning of a summary, which says first what is wanted, where a long command cannot hide it. */
export function leadWith(args: WishArguments, lead: string): string {
  const wishes = readWishes(args)
  return wishes === null ? `${lead}:` : `${lead} with ${describeWishes(wishes)}:`
}
