import { findRoles } from '../../../../runtime/roles/find-roles.ts'
import type { PromptPlaces } from '../../../../runtime/prompt-files/find-prompt-files.ts'
import type { DoctorLine } from './doctor-line.ts'

/** The roles of delegated conversations, and the files that are none and why; nothing if there are no such files. */
export function examineRoles(places: PromptPlaces): readonly DoctorLine[] {
  const { usable, unusable } = findRoles(places)
  const used = usable.map(({ name, description }) => `${name}: ${description}`)
  const unused = unusable.map(({ path, why }) => `${path}: ${why}`)
  return [
    ...(used.length === 0 ? [] : [{ name: 'roles', value: used, isFine: true }]),
    ...(unused.length === 0 ? [] : [{ name: 'unused roles', value: unused, isFine: true }]),
  ]
}
