import { execFile } from 'node:child_process'
import { findTrustedProgram } from './trusted-program.ts'

const GIT = ['/usr/bin/git', '/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git']
/** It reads two lines of configuration; without them git does not know who commits. */
const TIMEOUT_MS = 2_000

/**
 * A configuration file for git that holds a person's name and address and nothing else of theirs, so that commits made
 * in a sandbox carry them. Empty where there are none.
 */
export async function readGitIdentity(home: string): Promise<string> {
  const git = findTrustedProgram(GIT)
  if (git === null) return ''
  const args = ['config', '--global', '--includes', '--null', '--get-regexp', '^user\\.(name|email)$']
  const env = { HOME: home, PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1' }
  return new Promise((done) => {
    execFile(git, args, { cwd: '/', env, timeout: TIMEOUT_MS }, (error, stdout) => {
      done(error === null ? writeIdentity(stdout) : '')
    })
  })
}

/** Takes name, newline, value and NUL for each setting. */
function writeIdentity(listed: string): string {
  const settings = listed
    .split('\0')
    .map((setting) => /^user\.(name|email)\n([^\r\n]*)$/.exec(setting))
    .filter((match) => match !== null)
  if (settings.length === 0) return ''
  const lines = settings.map(([, name, value = '']) => `\t${name} = "${value.replace(/(["\\])/g, '\\$1')}"\n`)
  return `[user]\n${lines.join('')}`
}
