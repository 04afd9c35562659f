import { userFolder } from '../../../../host/fs/folders.ts'
import { findSkills } from '../../../../runtime/skills/find-skills.ts'
import type { Skills } from '../../../../runtime/skills/skill.ts'
import { isBuiltIn } from '../../../../tools/built-in.ts'
import type { DoctorLine } from './doctor-line.ts'

/** The skills of a root and of the user. */
export function findAllSkills(root: string, stateDir: string): Skills {
  return findSkills({ root, stateDir, userFolder: userFolder(process.env), isTool: isBuiltIn })
}

/** Which skills are used, and which were left out and why; nothing is wrong with Tongs if a project is not trusted. */
export function examineSkills({ usable, unusable }: Skills): readonly DoctorLine[] {
  const shown = usable.map(({ name, folder }) => `${name}: ${folder}`)
  const left = unusable.map(({ path, why }) => `${path}: ${why}`)
  return [
    { name: 'skills', value: shown, isFine: true },
    { name: 'skills left out', value: left, isFine: true },
  ]
}
