import { findPrompts } from '../prompt-files/find-prompt-files.ts'
import type { PromptPlaces, PromptReader } from '../prompt-files/find-prompt-files.ts'
import { parseRole } from './parse-role.ts'
import type { Role, Roles } from './role.ts'

const READER: PromptReader<Role> = {
  kind: 'roles',
  findFault: () => null,
  sayReplaced: (name) => `your own role ${name} is used instead`,
  read: ({ name, path, bytes }, from) => {
    const parsed = parseRole(bytes)
    if (!parsed.ok) return { name, path, why: parsed.why }
    const { description, tools, model, text } = parsed
    return { name, description, tools, model, from, path, text }
  },
}

/** Finds the roles of delegated conversations: the user's own, and those of the project if exactly these were trusted. */
export function findRoles(places: PromptPlaces): Roles {
  return findPrompts(places, READER)
}
