import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageFolder } from '../../host/package-folder.ts'
import type { OpenApp } from '../../terminal/app-opening.ts'
import { runApp } from './app.ts'

/** Opens the terminal app and stays until it is left. */
export const openApp: OpenApp = (opening) => {
  const about = readFileSync(join(findPackageFolder(import.meta.dirname), 'package.json'), 'utf8')
  return runApp(opening, (JSON.parse(about) as { readonly version: string }).version)
}
