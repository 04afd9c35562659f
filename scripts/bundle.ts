import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { TOP } from './run-tool.ts'

const { signatureOf } = createRequire(import.meta.url)('../bin/signature.cjs') as {
  signatureOf: (folder: string) => string
}

/**
 * Puts the command line into a few files, because loading two hundred takes longer than most commands. The entry uses
 * them only while the sources are exactly those they were made from; without them it runs the sources.
 */
const folder = process.argv[2] ?? join(TOP, 'dist', 'cli')
rmSync(folder, { recursive: true, force: true })
const signature = signatureOf(join(TOP, 'src'))
const bundle = await rolldown({
  cwd: TOP,
  input: {
    main: 'src/tongs.ts',
    // Programs of their own, which are found beside whatever starts them.
    'escape-attempts': 'src/host/confine/escape-attempts.ts',
    'spawner-process': 'src/host/run/spawner-process.ts',
  },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
})
await bundle.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})
writeFileSync(join(folder, 'signature'), signature)
