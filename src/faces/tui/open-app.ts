import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageFolder } from '../../host/fs/folders.ts'
import type { OpenApp } from '../../terminal/app-opening.ts'

/** Runs the terminal app until the user leaves. */
export const openApp: OpenApp = async (opening) => {
  const about = readFileSync(join(findPackageFolder(import.meta.dirname), 'package.json'), 'utf8')
  const { version } = JSON.parse(about) as { readonly version: string }
  if (process.env['TERM'] === 'dumb')
    return (await import('./plain/plain-app.ts')).runPlainApp(opening, version)
  return (await import('./app.ts')).runApp(opening, version)
}
