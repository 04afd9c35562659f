import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findPackageFolder } from '../../../../host/fs/folders.ts'

/** A call made in a separate process that is killed before it ends. */
export interface KilledCall {
  readonly root: string
  readonly stateDir: string
  readonly session: string
  readonly name: string
  readonly args: object
  /** The process is killed right after this file was put in place, before the others of the commit. */
  readonly lastFile: string
}

/** Loaded before the command: `kill -9` right after one file was put in place. */
const KILLER = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { renameSync } = fs
fs.renameSync = (from, to) => {
  renameSync(from, to)
  if (String(to).endsWith('/' + process.env.TONGS_DEMO_LAST)) process.kill(process.pid, 'SIGKILL')
}
syncBuiltinESMExports()
`

/** Makes the call; returns the signal that ended its process. */
export function killMeanwhile({
  root,
  stateDir,
  session,
  name,
  args,
  lastFile,
}: KilledCall): Promise<string | null> {
  const program = join(findPackageFolder(import.meta.dirname), 'bin', 'tongs.cjs')
  const killer = `data:text/javascript,${encodeURIComponent(KILLER)}`
  const words = ['call', name, '-', '--root', root, '--session', session, '--yes', '--json']
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', killer, program, ...words], {
      cwd: root,
      // Native calls would put files in place unseen.
      env: {
        ...cleanEnvironment(),
        TONGS_NATIVE: 'off',
        TONGS_STATE_DIR: stateDir,
        TONGS_DEMO_LAST: lastFile,
      },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.on('error', reject)
    child.on('close', (_code, signal) => resolve(signal))
    child.stdin.on('error', () => undefined).end(JSON.stringify(args))
  })
}

/** Without the user's own settings, so that the tour is always the same. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TONGS_'))
  return { ...Object.fromEntries(inherited), TONGS_CONFIG: '/dev/null' }
}
