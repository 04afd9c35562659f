import { registerHooks } from 'node:module'
import type { Planted } from './planted.ts'

// Loaded before a program: replaces a text of one source file.
const { file, text, replacement } = JSON.parse(process.env['FAULTS_PLANTED'] ?? '{}') as Planted

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(file)) return loaded
    const source = String(loaded.source)
    if (source.split(text).length !== 2) throw new Error(`${file} does not have this once: ${text}`)
    return { ...loaded, source: source.replace(text, () => replacement) }
  },
})
