import { readOwnPackage } from '../../host/fs/own-package.ts'
import type { OpenApp } from '../../terminal/app-opening.ts'

/** Runs the terminal app until the user leaves. */
export const openApp: OpenApp = async (opening) => {
  const { version } = readOwnPackage()
  if (process.env['TERM'] === 'dumb')
    return (await import('./plain/plain-app.ts')).runPlainApp(opening, version)
  return (await import('./app.ts')).runApp(opening, version)
}
