import { resolve } from 'node:path'
import { realPathOf } from '../confine/inspect-path.ts'
import type { GitSetting } from './read-settings.ts'

/** Variables that name a program, or a command line, that git runs. */
const COMMANDS = [
  'GIT_EDITOR',
  'GIT_SEQUENCE_EDITOR',
  'GIT_PAGER',
  'GIT_EXTERNAL_DIFF',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'GIT_PROXY_COMMAND',
  'GIT_TEMPLATE_DIR',
  'GIT_EXEC_PATH',
  'SSH_ASKPASS',
  'EDITOR',
  'VISUAL',
  'PAGER',
]

/** The variables of this process that the user's own git obeys like settings. */
export function environmentSettings(): readonly GitSetting[] {
  return COMMANDS.flatMap((key) => {
    const value = process.env[key] ?? ''
    return value === '' ? [] : [{ key, value, file: null }]
  })
}

/** The repository that the user's own git works with wherever it is started, and its work tree if one is named; or null. */
export function environmentRepository(): {
  readonly gitFolder: string
  readonly commonFolder: string
  readonly folder: string | null
} | null {
  const { GIT_DIR = '', GIT_COMMON_DIR = '', GIT_WORK_TREE = '' } = process.env
  const gitFolder = GIT_DIR === '' ? null : realPathOf(resolve(GIT_DIR))
  if (gitFolder === null) return null
  const commonFolder = GIT_COMMON_DIR === '' ? null : realPathOf(resolve(GIT_COMMON_DIR))
  const folder = GIT_WORK_TREE === '' ? null : realPathOf(resolve(GIT_WORK_TREE))
  return { gitFolder, commonFolder: commonFolder ?? gitFolder, folder }
}

/** Everything in the environment that decides what git obeys, to tell whether it has changed. */
export function environmentStamp(): readonly (readonly [string, string | undefined])[] {
  return Object.entries(process.env)
    .filter(([name]) => name.startsWith('GIT_') || name === 'XDG_CONFIG_HOME' || COMMANDS.includes(name))
    .toSorted()
}
