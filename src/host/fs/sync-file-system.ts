import { execFile } from 'node:child_process'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { platform } from '../system/platform.ts'

const SYNCERS = ['/usr/bin/sync', '/bin/sync']

/** Flushes everything on the file system of a folder to disk; false if there is no program for that, or it failed. */
export async function syncFileSystem(folder: string): Promise<boolean> {
  const program = platform === 'linux' ? findTrustedProgram(SYNCERS) : null
  if (program === null) return false
  return new Promise((resolve) => {
    execFile(program, ['-f', '--', folder], (error) => resolve(error === null))
  })
}
