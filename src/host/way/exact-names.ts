import { readdirSync } from 'node:fs'
import { exactName, systemName } from '../root/exact-name.ts'
import { ioFailure, isOutage } from '../root/io-failure.ts'

/** An exact name in a folder. */
export interface ExactName {
  readonly name: string
  readonly isFolder: boolean
}

/** The names in an exact folder, or null if it cannot be read; links are never followed. Throws if the machine failed for now. */
export function readExactNames(folder: string): readonly ExactName[] | null {
  try {
    return readdirSync(systemName(folder), { encoding: 'latin1', withFileTypes: true }).map((entry) => ({
      name: exactName(entry.name),
      isFolder: entry.isDirectory(),
    }))
  } catch (error) {
    if (isOutage(error)) throw ioFailure(error, 'list', folder)
    return null
  }
}
