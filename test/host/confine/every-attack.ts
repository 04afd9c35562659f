import { attacks } from './attacks.ts'
import type { Attack } from './attacks.ts'
import { gitAttacks } from './git-attacks.ts'
import { modeAttacks } from './mode-attacks.ts'
import { namedGitAttacks } from './named-git-attacks.ts'
import { ownAttacks } from './own-attacks.ts'

/** All families together. */
export const everyAttack: Readonly<Record<string, Attack>> = {
  ...attacks,
  ...gitAttacks,
  ...modeAttacks,
  ...namedGitAttacks,
  ...ownAttacks,
}
