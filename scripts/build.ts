import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runTool, TOP } from './run-tool.ts'

/**
 * Emits the published JavaScript and its declarations; old output would be shipped as well, so it goes first. Builds of
 * the command line stay for as long as commands may be running from them.
 */
const output = join(TOP, 'dist')
for (const name of existsSync(output) ? readdirSync(output) : [])
  if (name !== 'cli') rmSync(join(output, name), { recursive: true, force: true })
process.exitCode = runTool('tsc', ['-p', 'tsconfig.build.json'])
await import('./bundle.ts')
