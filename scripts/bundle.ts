import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, extname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import type { Plugin } from 'rolldown'
import { TOP } from './run-tool.ts'
import { isSeldomUsed } from './seldom-used.ts'

const require = createRequire(import.meta.url)
const { signatureOf } = require('../bin/signature.cjs') as {
  signatureOf: (folder: string, names: readonly string[]) => string
}

const SOURCES = join(TOP, 'src')

/** Longer than a command or an app is usually left running. */
const KEPT_SECONDS = 7 * 24 * 3600

/** Built-in modules that most commands never use and that take milliseconds to load. */
const SELDOM_USED = ['child_process', 'net', 'timers/promises', 'tty']

/** What all commands need, and what calls need: few files, since finding and loading one costs more than reading it. */
const line = { start: join(SOURCES, 'tongs.ts'), members: new Set<string>() }
const call = { start: join(SOURCES, 'faces', 'cli', 'commands', 'call.ts'), members: new Set<string>() }

/** Everything that a file imports, directly or not, unless it is imported dynamically. */
const memberFinder: Plugin = {
  name: 'find-members',
  buildEnd() {
    for (const { start, members } of [line, call]) {
      members.clear()
      const found = [start]
      for (let id = found.pop(); id !== undefined; id = found.pop()) {
        const about = members.has(id) ? null : this.getModuleInfo(id)
        if (about === null) continue
        members.add(id)
        found.push(...about.importedIds)
      }
    }
  },
}

/**
 * Puts the command line into a few files, because loading two hundred takes longer than most commands. The entry uses
 * them only while the sources are exactly those they were made from; without them it runs the sources.
 */
const place = process.argv[2] ?? join(TOP, 'dist', 'cli')
const build = `build-${Date.now().toString(36)}-${process.pid}`
const folder = join(place, build)
const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
  (name) => extname(name) !== '',
)
const signature = signatureOf(SOURCES, names)
await bundle('main', 'src/tongs.ts')
// Programs of their own, which are found beside whatever starts them.
await bundle('escape-attempts', 'src/host/confine/escape-attempts.ts')
await bundle('spawner-process', 'src/host/run/spawner-process.ts')
await bundle('page-worker', 'src/host/web/page-worker.ts')
for (const name of readdirSync(folder)) {
  const path = join(folder, name)
  const code = loadSeldomUsed(loadOnUse(useDirectly(readFileSync(path, 'utf8'))))
  writeFileSync(path, escapeLetters(importByLoader(code)))
}
checkLoading()
publish([signature, build, ...names].join('\n'))

/**
 * From here on new commands use this build. Those that run go on with theirs, parts of which they may not have loaded
 * yet, so it stays for a while after it was replaced.
 */
function publish(text: string): void {
  const known = join(place, 'signature')
  const replaced = existsSync(known) ? join(place, readFileSync(known, 'utf8').split('\n')[1] ?? '') : null
  const now = Date.now() / 1000
  if (replaced?.startsWith(join(place, 'build-')) === true && existsSync(replaced))
    utimesSync(replaced, now, now)
  const next = join(folder, 'signature')
  writeFileSync(next, text)
  renameSync(next, known)
  for (const name of readdirSync(place)) {
    const path = join(place, name)
    if (name === build || name === 'signature') continue
    if (now - statSync(path).mtimeMs / 1000 > KEPT_SECONDS) rmSync(path, { recursive: true, force: true })
  }
}

/** CommonJS, because Node links it quicker than modules and gives its own parts to it without loading all of each. */
async function bundle(name: string, file: string): Promise<void> {
  const made = await rolldown({
    cwd: TOP,
    input: { [name]: file },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [memberFinder],
    preserveEntrySignatures: 'allow-extension',
    // Said of dynamic imports that stay where they are, as they should.
    checks: { ineffectiveDynamicImport: false },
  })
  await made.write({
    dir: folder,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'line', test: (id) => line.members.has(id), priority: 3 },
        {
          name: 'seldom',
          test: (id) => call.members.has(id) && isSeldomUsed(relative(SOURCES, id)),
          priority: 2,
        },
        { name: 'call', test: (id) => call.members.has(id), priority: 1 },
      ],
    },
  })
}

/** A built-in as a namespace is wrapped, with a function for each of its parts, for the sake of a default that nobody uses. */
function useDirectly(code: string): string {
  return code.replaceAll(/^(node_\w+) = [\w.]*__toESM\(\1, 1\);$/gm, '')
}

function loadOnUse(code: string): string {
  return SELDOM_USED.reduce((before, name) => {
    const variable = `node_${name.replaceAll('/', '_')}`
    const declaration = `let ${variable} = require("node:${name}");`
    if (!before.includes(declaration)) return before
    return before
      .replaceAll(new RegExp(`\\b${variable}\\.`, 'g'), `(${variable}()).`)
      .replace(declaration, `const ${variable} = () => require("node:${name}");`)
  }, code)
}

/** Half of what calls may need is not needed by a read, so its file is loaded when one of its names is first used. */
function loadSeldomUsed(code: string): string {
  const declaration = /^const require_seldom = (require\("[^"]+"\));$/m
  if (!declaration.test(code)) return code
  return code
    .replaceAll(/\brequire_seldom\./g, '(require_seldom()).')
    .replace(declaration, 'let seldom;\nconst require_seldom = () => seldom ??= $1;')
}

/** While the file of calls is loaded, the seldom used one cannot be: it needs that one itself. */
function checkLoading(): void {
  const advice = 'Loading calls uses a file that scripts/seldom-used.ts lists: add it to USED there'
  try {
    for (const name of readdirSync(folder)) if (/^call-.*\.cjs$/.test(name)) require(join(folder, name))
  } catch (cause) {
    throw new Error(advice, { cause })
  }
  if (Object.keys(require.cache).some((path) => basename(path).startsWith('seldom-'))) throw new Error(advice)
}

/** The loader hands its own `import` to the bundle, which it runs as scripts: there Node would warn of each. */
function importByLoader(code: string): string {
  return code.replaceAll(/\bimport\((?=")/g, 'importPackage(')
}

/** With a single letter beyond ASCII a whole file is kept with two bytes for each. */
function escapeLetters(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
