import { join } from 'node:path'
import { SKILL_LIMITS } from '../../config/fixed-values.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { kindOrMissing } from '../../host/confine/inspect-path.ts'
import { readFolderNames } from '../../host/fs/folders.ts'
import { readPlainFile } from '../../host/fs/plain-file.ts'
import { readFrontMatter } from '../prompt-files/front-matter.ts'
import type { ProjectFile } from '../configure/trusted-files.ts'
import type { UnusableSkill } from './skill.ts'

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md'

/** The skills in a folder, as files that were read. */
export interface SkillFiles {
  readonly files: readonly ProjectFile[]
  readonly unusable: readonly UnusableSkill[]
}

/** As the public format has it: plain letters, so that names that look the same are the same. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Reads the skills in a folder. Links are not followed; what cannot be used is named. */
export function readSkillFolder(folder: string): SkillFiles {
  const files: ProjectFile[] = []
  const unusable: UnusableSkill[] = []
  const refuse = (name: string, path: string, why: string): void => {
    unusable.push({ name: sanitise(name, { oneLine: true }), path, why })
  }
  const names = readFolderNames(folder)
  if (names === null) refuse('', folder, 'the folder cannot be read')
  const seen = (names ?? [])
    .filter(({ name }) => !name.startsWith('.'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, isFolder } of seen.slice(0, SKILL_LIMITS.folders)) {
    const path = join(folder, name)
    if (!isFolder) {
      if (kindOrMissing(path) === 'link') refuse(name, path, 'it is a link, not a folder')
      continue
    }
    const found = readPlainFile(join(path, SKILL_FILE), 'project', SKILL_LIMITS.fileBytes)
    if (found.is === 'missing') continue
    if (found.is === 'refused') refuse(name, path, `${SKILL_FILE}: ${found.why}`)
    else if (!NAME.test(name) || name.length > SKILL_LIMITS.nameChars)
      refuse(name, path, 'its name may have only letters from a to z, digits and single hyphens')
    else files.push({ name, path: join(path, SKILL_FILE), bytes: found.bytes })
  }
  if (seen.length > SKILL_LIMITS.folders)
    refuse('', folder, `it has more than ${SKILL_LIMITS.folders} names; the rest is left out`)
  return { files, unusable }
}

/** The description of a skill, or why its file is not one. */
export function readDescription(
  { name, bytes }: ProjectFile,
  isTool: (name: string) => boolean,
): { readonly ok: true; readonly description: string } | { readonly ok: false; readonly why: string } {
  const parsed = readFrontMatter(bytes)
  if (!parsed.ok) return parsed
  const named = parsed.values.get('name')?.text ?? ''
  const description = parsed.values.get('description')?.text ?? ''
  if (isTool(name)) return { ok: false, why: `${name} is the name of a tool` }
  if (named !== name) return { ok: false, why: 'the name in its front matter is not that of its folder' }
  if (description === '') return { ok: false, why: 'its front matter has no description' }
  if (description.length > SKILL_LIMITS.descriptionChars)
    return { ok: false, why: `its description is longer than ${SKILL_LIMITS.descriptionChars} characters` }
  if (sanitise(description, { oneLine: true }) !== description)
    return { ok: false, why: 'its description has characters that a screen does not show' }
  return { ok: true, description }
}
