import { editToml, showTable } from '../../config/toml/edit-toml.ts'
import type { EditedToml, TableChange } from '../../config/toml/edit-toml.ts'
import { errnoOf } from '../../host/fs/errno.ts'
import { userConfigFile } from '../../host/fs/folders.ts'
import type { Environment } from '../../host/fs/folders.ts'
import { replaceOwnText } from '../../host/fs/own-text.ts'
import { readTextIfExists } from '../../host/fs/plain-file.ts'
import { ConfigurationError } from './configuration-error.ts'

/** A change of the user's own configuration file that is ready to be written. */
export interface PreparedChange {
  readonly file: string
  /** Replaces the file, whole or not at all; throws with what to write by hand if it cannot. */
  readonly write: () => void
}

/**
 * Prepares a change of one table in the user's own file; the rest of it stays as it is. Throws with what to write by hand
 * if that is not possible.
 */
export async function prepareUserChange(
  env: Environment,
  table: string,
  change: TableChange,
): Promise<PreparedChange> {
  return prepareEdit(env, (text) => editToml(text, table, change), showTable(table, change))
}

/** Prepares any other change of that file; `byHand` is what a person would write instead. */
export async function prepareEdit(
  env: Environment,
  edit: (text: string) => Promise<EditedToml>,
  byHand: string,
): Promise<PreparedChange> {
  const file = userConfigFile(env)
  const edited = await edit(readTextIfExists(file, 'settings') ?? '')
  const refusal = (why: string): ConfigurationError => {
    const message = `${why}, or add this by hand:\n${byHand.trimEnd()}`
    return new ConfigurationError([{ source: file, message }])
  }
  if (!edited.ok) throw refusal(`cannot be changed: ${edited.why}. Correct that and try again`)
  return {
    file,
    write: () => {
      try {
        replaceOwnText(file, edited.text)
      } catch (error) {
        throw refusal(`cannot be written (${errnoOf(error)}). Check its folder and try again`)
      }
    },
  }
}
