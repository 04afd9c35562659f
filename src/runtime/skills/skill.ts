/** A folder with a `SKILL.md`: how to do something, read by the model when it is needed. */
export interface Skill {
  /** That of its folder. */
  readonly name: string
  /** One line that is safe to show. */
  readonly description: string
  readonly from: 'user' | 'project'
  /** The absolute path of its folder. */
  readonly folder: string
  /** What `read_file` takes for its `SKILL.md`. */
  readonly readAs: string
}

/** A folder that would be a skill, and why it is not. */
export interface UnusableSkill {
  /** The name it would have, safe to show. */
  readonly name: string
  readonly path: string
  readonly why: string
}

/** All skills, each list in the order of names. */
export interface Skills {
  readonly usable: readonly Skill[]
  readonly unusable: readonly UnusableSkill[]
}
