import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { TOP } from './run-tool.ts'

const { signatureOf } = createRequire(import.meta.url)('../bin/signature.cjs') as {
  signatureOf: (folder: string, names: readonly string[]) => string
}

/** Bundles the command line unless the bundle matches the sources: commands run from sources take ten times as long. */
export function refreshBundle(): boolean {
  if (isFresh()) return true
  const words = [join(import.meta.dirname, 'bundle.ts')]
  return spawnSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}

function isFresh(): boolean {
  try {
    const [signature, , ...names] = readFileSync(join(TOP, 'dist/cli/signature'), 'utf8').split('\n')
    return signature === signatureOf(join(TOP, 'src'), names)
  } catch {
    return false
  }
}
