import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenApp } from '../../terminal/app-opening.ts'
import { runApp } from './app.ts'

/** Opens the terminal app and stays until it is left. */
export const openApp: OpenApp = (opening) => runApp(opening, readVersion())

/** Of the package, whether it runs from a checkout or installed. */
function readVersion(): string {
  for (let folder = import.meta.dirname; ; folder = join(folder, '..')) {
    const path = join(folder, 'package.json')
    if (existsSync(path)) return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
    if (folder === join(folder, '..')) return ''
  }
}
