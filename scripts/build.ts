import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runTool, TOP } from './run-tool.ts'

/** Emits the published JavaScript and its declarations; old output would be shipped as well, so it goes first. */
rmSync(join(TOP, 'dist'), { recursive: true, force: true })
process.exitCode = runTool('tsc', ['-p', 'tsconfig.build.json'])
await import('./bundle.ts')
