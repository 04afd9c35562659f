import { existsSync, mkdtempSync, renameSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const TOP = fileURLToPath(new URL('../../..', import.meta.url))
const NAMES = ['child', 'hammer', 'die-at']

/**
 * Puts the programs of the fault suites into a few files, and gives their folder: loading two hundred sources takes
 * most of the life of a process that is soon killed. One worker does it for the whole run, as others find it done.
 */
export async function bundlePrograms(): Promise<string> {
  const wanted = process.env['FAULT_PROGRAMS']
  if (wanted !== undefined && existsSync(wanted)) return wanted
  const made = mkdtempSync(join(tmpdir(), 'fault-programs-'))
  const build = await rolldown({
    input: Object.fromEntries(NAMES.map((name) => [name, join(import.meta.dirname, `${name}.ts`)])),
    platform: 'node',
    checks: { eval: false, ineffectiveDynamicImport: false },
  })
  await build.write({
    dir: made,
    format: 'esm',
    entryFileNames: '[name].ts.mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await build.close()
  // The calls that are not in Node come from a package.
  symlinkSync(join(TOP, 'node_modules'), join(made, 'node_modules'))
  if (wanted === undefined) return made
  try {
    renameSync(made, wanted)
    return wanted
  } catch {
    // Another worker was quicker.
    return made
  }
}
