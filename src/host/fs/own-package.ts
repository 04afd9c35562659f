import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageFolder } from './folders.ts'

/** What this program says of itself. */
export interface OwnPackage {
  readonly version: string
  readonly tongs?: { readonly contract?: string }
}

/** Reads the description of the package that contains this program. */
export function readOwnPackage(): OwnPackage {
  return JSON.parse(
    readFileSync(join(findPackageFolder(import.meta.dirname), 'package.json'), 'utf8'),
  ) as OwnPackage
}
