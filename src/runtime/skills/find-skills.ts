import { dirname, join } from 'node:path'
import { PROJECT_FOLDER_NAME } from '../../host/fs/folders.ts'
import { areTrusted, findFolderFault, trustFiles } from '../configure/trusted-files.ts'
import type { ProjectFile, TrustedSet } from '../configure/trusted-files.ts'
import type { TrustPlaces } from '../configure/trust.ts'
import { readDescription, readSkillFolder, SKILL_FILE } from './read-skill-folder.ts'
import type { SkillFiles } from './read-skill-folder.ts'
import type { Skill, Skills, UnusableSkill } from './skill.ts'

/** What decides where skills are, and which of them count. */
export interface SkillPlaces {
  /** The canonical root. */
  readonly root: string
  readonly stateDir: string
  /** The folder of what is the user's own; null if there is none. */
  readonly userFolder: string | null
  /** Whether a name is that of a tool. */
  readonly isTool: (name: string) => boolean
}

/** Where a project may have skills: ours, and those that other agents read. The first that has a name counts. */
const PROJECT_PLACES = [`${PROJECT_FOLDER_NAME}/skills`, '.agents/skills', '.claude/skills']
const NOTHING: SkillFiles = { files: [], unusable: [] }
const UNTRUSTED = 'the project\'s skills are not trusted as they are now; read them, then run "tongs trust"'

/**
 * Finds skills: the user's own, and those of the project if exactly these files were trusted. They are read anew each
 * time.
 */
export function findSkills(places: SkillPlaces): Skills {
  const own = findUserSkills(places)
  const taken = new Set(own.usable.map(({ name }) => name))
  const usable: Skill[] = [...own.usable]
  const unusable: UnusableSkill[] = [...own.unusable]
  const found = PROJECT_PLACES.map((place) => ({
    place,
    read: readFolder(places.root, join(places.root, place)),
  }))
  const all = found.flatMap(({ place, read }) => namedIn(place, read.files))
  const isKnown = areTrusted(setOf(places), all)
  for (const { place, read } of found) {
    unusable.push(...read.unusable)
    for (const file of read.files) {
      const other = taken.has(file.name) ? 'another skill of that name is used instead' : null
      const sorted = sortOut(file, places, 'project', `${place}/${file.name}/${SKILL_FILE}`)
      const fault = 'why' in sorted ? sorted.why : (other ?? (isKnown ? null : UNTRUSTED))
      if (fault !== null) unusable.push({ name: file.name, path: file.path, why: fault })
      else if ('readAs' in sorted) usable.push(sorted)
      if (fault === null) taken.add(file.name)
    }
  }
  return { usable: usable.toSorted(byName), unusable: unusable.toSorted(byName) }
}

/** The user's own skills. A link in the place of their folder is not followed: it could lead into a workspace. */
export function findUserSkills(places: Pick<SkillPlaces, 'userFolder' | 'isTool'>): Skills {
  if (places.userFolder === null) return { usable: [], unusable: [] }
  const folder = join(places.userFolder, 'skills')
  const { files, unusable } = readFolder(places.userFolder, folder)
  const read = files.map((file) => sortOut(file, places, 'user', `tongs:skills/${file.name}/${SKILL_FILE}`))
  return {
    usable: read.filter((one) => 'readAs' in one),
    unusable: [...unusable, ...read.filter((one) => 'why' in one)],
  }
}

/** Trusts the project's skills exactly as they are; returns the paths of their files. */
export function trustSkills(places: Pick<SkillPlaces, 'root'> & TrustPlaces): readonly string[] {
  const files = PROJECT_PLACES.flatMap((place) =>
    namedIn(place, readFolder(places.root, join(places.root, place)).files),
  )
  return trustFiles({ ...setOf(places), witness: places.witness }, files)
}

function setOf({ root, stateDir }: Pick<SkillPlaces, 'root' | 'stateDir'>): TrustedSet {
  return { root, stateDir, kind: 'skills' }
}

function readFolder(from: string, folder: string): SkillFiles {
  const fault = findFolderFault(from, folder)
  if (fault === null) return readSkillFolder(folder)
  return fault === 'missing' ? NOTHING : { files: [], unusable: [{ name: '', path: folder, why: fault }] }
}

/** Files of several places may have one name. */
function namedIn(place: string, files: readonly ProjectFile[]): readonly ProjectFile[] {
  return files.map((file) => ({ ...file, name: `${place}/${file.name}` }))
}

function sortOut(
  file: ProjectFile,
  { isTool }: Pick<SkillPlaces, 'isTool'>,
  from: Skill['from'],
  readAs: string,
): Skill | UnusableSkill {
  const { name, path } = file
  const read = readDescription(file, isTool)
  if (!read.ok) return { name, path, why: read.why }
  return { name, description: read.description, from, folder: dirname(path), readAs }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
