import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findBackwardEdges } from '../scripts/house/import-graph.ts'
import { readSource } from '../scripts/house/read-source.ts'

const TOP = dirname(import.meta.dirname)
const MAX_LINES = 300
const MAX_FILES = 20
const PIPELINE = 'src/pipeline/'

/** The stages of the pipeline in order: each imports only itself, earlier ones and what lies beside the stages. */
const STAGES = ['parse', 'plan', 'approve', 'execute', 'record', 'commit', 'resume', 'after']

/** What each room may import. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  schema: ['core'],
  config: ['core', 'schema'],
  policy: ['core', 'config'],
  host: ['core'],
  workspace: ['core', 'config', 'host', 'type journal'],
  journal: ['core', 'host'],
  tools: ['core', 'schema', 'config'],
  pipeline: ['core', 'schema', 'config', 'policy', 'workspace', 'journal'],
  terminal: ['core', 'type config'],
  wire: ['core'],
  servers: ['core', 'schema', 'config', 'host', 'tools', 'wire'],
  model: ['core', 'wire', 'host'],
  agent: ['core', 'config', 'journal', 'pipeline', 'model', 'wire', 'type runtime'],
  runtime: ['core', 'config', 'policy', 'host', 'workspace', 'journal', 'tools', 'pipeline', 'servers'],
  setup: ['core', 'config', 'host', 'model', 'agent', 'runtime', 'terminal'],
}

/** What the package shows to the outside: the library's names, and the program with all its faces. */
const FRONT_DOORS = new Set(['index.ts', 'agent.ts', 'ai.ts', 'tongs.ts'])

/** Modules of Node that only compute; the others are the machine, which belongs to the host and the faces. */
const PURE_MODULES = new Set(['node:buffer', 'node:crypto', 'node:path', 'node:url', 'node:util'])
const VAGUE_NAMES = /^(?:utils?|common|helpers?|types|misc|shared|base|managers?|services?)(?:\.ts)?$/
const VAGUE_EXPORT =
  /^export (?:abstract )?(?:class|interface|type) (\w*(?:Manager|Service|Helper|Base|V2))\b/gm
const MACHINE_GLOBAL =
  /\bprocess\.(?:argv|cwd|env|exit|hrtime|pid|platform|std\w+)\b|\bnew Date\(\)|\b(?:Date\.now|Math\.random|performance\.now)\(/
/** What a room of pure functions would remember between two calls: the caller holds such values instead. */
const MODULE_STATE = /^(?:export )?let |^(?:export )?const \w+(?:: [^=\n]+)? = (?:new WeakMap|memoize)/m
const MACHINE_ROOM = /^(?:host|runtime|faces\/.*)$/
const ANY_TYPE = /(?::\s*|\bas\s+|<|[|&,]\s+)any\b\s*(?:[[\]>,;)=|&{}]|$)/m
const SILENCED = /(?:ox|es)lint-disable|@ts-(?:ignore|nocheck|expect-error)/
const IMPORTS =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'"();]*?from\s+['"]([^'"]+)['"]|(?:^|\n)\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g

interface Import {
  readonly isType: boolean
  readonly from: string
}

function readImports(text: string): readonly Import[] {
  return [...text.matchAll(IMPORTS)].map(([, type, ...from]) => ({
    isType: type !== undefined,
    from: from.find((word) => word !== undefined) ?? '',
  }))
}

/** `core`, or `faces/cli`: faces are rooms of their own. */
function roomOf(file: string): string {
  const [, room = '', face = ''] = file.split('/')
  return room === 'faces' ? `faces/${face}` : room
}

function isAllowed(room: string, target: string, isType: boolean): boolean {
  if (room === target || FRONT_DOORS.has(room)) return true
  if (room.startsWith('faces/')) return !target.startsWith('faces/') && target in ROOMS
  const may = ROOMS[room] ?? []
  return may.includes(target) || (isType && may.includes(`type ${target}`))
}

function findImportFault(file: string, { isType, from }: Import): string | null {
  const room = roomOf(file)
  if (from.startsWith('.')) {
    const target = roomOf(normalize(join(dirname(file), from)))
    return isAllowed(room, target, isType) ? null : `${file}: ${room} may not import ${target}`
  }
  if (room === 'core') return `${file}: core imports nothing, and not ${from}`
  const touchesMachine = from.startsWith('node:') && !PURE_MODULES.has(from)
  return touchesMachine && room !== 'host' && !room.startsWith('faces/')
    ? `${file}: only host may import ${from}`
    : null
}

function findFileFaults(file: string, text: string): readonly string[] {
  const room = roomOf(file)
  const vague = file.split('/').find((word) => VAGUE_NAMES.test(word))
  const lines = text.split('\n').length - 1
  return [
    room in ROOMS || room.startsWith('faces/') || FRONT_DOORS.has(room)
      ? null
      : `${file}: ${room} is not a room`,
    vague === undefined ? null : `${file}: ${vague} says nothing about what is in it`,
    /^[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(basename(file)) ? null : `${file}: names are kebab-case`,
    lines > MAX_LINES ? `${file}: ${lines} lines; over ${MAX_LINES} it wants a second name` : null,
    ANY_TYPE.test(text) ? `${file}: any` : null,
    !MACHINE_ROOM.test(room) && MACHINE_GLOBAL.test(text)
      ? `${file}: only host may look at the process, the clock or chance`
      : null,
    SILENCED.test(text) ? `${file}: a check is silenced` : null,
    room === 'policy' && MODULE_STATE.test(text) ? `${file}: policy keeps no state of its own` : null,
    ...[...text.matchAll(VAGUE_EXPORT)].map(([, name]) => `${file}: ${name} says nothing about what it does`),
    ...readImports(text).map((one) => findImportFault(file, one)),
  ].filter((fault) => fault !== null)
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string | null {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) return `cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`
    if (done.has(file)) return null
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file])
      if (cycle !== null) return cycle
    }
    done.add(file)
    return null
  }
  return graph.keys().reduce<string | null>((found, file) => found ?? visit(file, []), null)
}

function findWideFolders(files: readonly string[]): readonly string[] {
  return Object.entries(Object.groupBy(files, (file) => dirname(file))).flatMap(([folder, inside = []]) =>
    inside.length > MAX_FILES ? [`${folder}: ${inside.length} files; at most ${MAX_FILES} in a folder`] : [],
  )
}

/** Imports within the pipeline that run against its stages; a preview is the one look ahead that is allowed. */
function findStageFaults(texts: ReadonlyMap<string, string>): readonly string[] {
  const sources = [...texts].flatMap(([file, text]) =>
    file.startsWith(PIPELINE) ? [readSource(file, text)] : [],
  )
  return (findBackwardEdges(sources) ?? []).map((edge) => `${edge}: against the order of the stages`)
}

/** Files at the top of `src/tools` that do not define a tool which `built-in.ts` lists. */
function findToolFaults(texts: ReadonlyMap<string, string>): readonly string[] {
  const listed = new Set(texts.get('src/tools/built-in.ts')?.match(/(?<=^ {2})\w+(?=,$)/gm))
  return [...texts].flatMap(([file, text]) => {
    if (dirname(file) !== 'src/tools' || file === 'src/tools/built-in.ts') return []
    const [, name = ''] = /^export const (\w+) = defineTool\(/m.exec(text) ?? []
    return listed.has(name) ? [] : [`${file}: only tools that built-in.ts lists lie here`]
  })
}

function findFaults(top: string): readonly string[] {
  const files = globSync('src/**/*.ts', { cwd: top }).toSorted()
  const texts = new Map(files.map((file) => [file, readFileSync(join(top, file), 'utf8')]))
  const graph = new Map(
    [...texts].map(([file, text]) => {
      const near = readImports(text).filter(({ from }) => from.startsWith('.'))
      return [file, near.map(({ from }) => normalize(join(dirname(file), from)))]
    }),
  )
  const cycle = findCycle(graph)
  return [
    ...[...texts].flatMap(([file, text]) => findFileFaults(file, text)),
    ...(cycle === null ? [] : [cycle]),
    ...findWideFolders(files),
    ...findStageFaults(texts),
    ...findToolFaults(texts),
  ]
}

describe('the house', () => {
  it('stands: rooms import only what they may, without cycles, and names and files are in order', () => {
    expect(existsSync(join(TOP, 'src/core/error.ts'))).toBe(true)
    expect(STAGES.filter((stage) => !existsSync(join(TOP, PIPELINE, stage)))).toEqual([])
    expect(existsSync(join(TOP, 'src/tools/built-in.ts'))).toBe(true)
    expect(findFaults(TOP)).toEqual([])
  })

  it.for([
    ['core asks for another room', { 'core/a.ts': "import { b } from '../config/b.ts'\n" }],
    ['core asks for Node', { 'core/a.ts': "import { join } from 'node:path'\n" }],
    ['core asks for a package', { 'core/a.ts': "import type { Ajv } from 'ajv'\n" }],
    ['a tool asks for the host', { 'tools/e/a.ts': "import type { Root } from '../../host/root.ts'\n" }],
    ['a tool asks for the disk', { 'tools/e/a.ts': "import {\n  readFileSync,\n} from 'node:fs'\n" }],
    ['a tool loads the host later', { 'tools/e/a.ts': "const host = await import('../../host/root.ts')\n" }],
    ['a helper among the tools', { 'tools/a.ts': 'export const a = 1\n' }],
    [
      'a tool that is not listed',
      { 'tools/a.ts': `export const a = defineTool({})\n`, 'tools/built-in.ts': 'const all = [\n  b,\n]\n' },
    ],
    [
      'a stage that imports a later one',
      { 'pipeline/plan/a.ts': "import type { Answer } from '../record/record.ts'\n" },
    ],
    [
      'a stage that looks further ahead than a preview',
      { 'pipeline/approve/a.ts': "import { runTool } from '../execute/run-tool.ts'\n" },
    ],
    [
      'an execution that looks at what comes after it',
      { 'pipeline/execute/a.ts': "import { land } from '../commit/land.ts'\n" },
    ],
    [
      'a shared file that imports a stage',
      {
        'pipeline/step.ts': "import { plan } from './plan/plan.ts'\n",
        'pipeline/plan/plan.ts': 'export {}\n',
      },
    ],
    [
      'a shared folder that imports a stage',
      {
        'pipeline/memory/a.ts': "import { plan } from '../plan/plan.ts'\n",
        'pipeline/plan/plan.ts': 'export {}\n',
      },
    ],
    [
      'a stage that imports the conductor',
      { 'pipeline/execute/a.ts': "import { runBatch } from '../run-batch.ts'\n" },
    ],
    ['a wide folder', Object.fromEntries(numbered(MAX_FILES + 1))],
    [
      'the pipeline asks for a tool',
      { 'pipeline/a.ts': "export { readFile } from '../tools/read-file.ts'\n" },
    ],
    ['the workspace runs the journal', { 'workspace/a.ts': "import { log } from '../journal/log.ts'\n" }],
    ['the journal knows the workspace', { 'journal/a.ts': "import type { W } from '../workspace/w.ts'\n" }],
    ['a face asks for another', { 'faces/cli/a.ts': "import '../web/page.ts'\n" }],
    ['an unknown room', { 'attic/a.ts': 'export const a = 1\n' }],
    ['a file beside the rooms', { 'a.ts': 'export const a = 1\n' }],
    ['a vague file', { 'core/types.ts': 'export const a = 1\n' }],
    ['a vague folder', { 'core/utils/a.ts': 'export const a = 1\n' }],
    ['a vague name', { 'core/a.ts': 'export class CallManager {}\n' }],
    ['a name in camel case', { 'core/readFile.ts': 'export const a = 1\n' }],
    ['a type that is any', { 'core/a.ts': 'export function f(x: any): void {}\n' }],
    ['a list of any', { 'core/a.ts': 'export const list: any[] = []\n' }],
    ['a clock outside the host', { 'policy/a.ts': 'export const now = () => Date.now()\n' }],
    ['a rule that looks at the environment', { 'policy/a.ts': "export const home = process.env['HOME']\n" }],
    ['a judgement that remembers', { 'policy/a.ts': 'let latest = 0\nexport const next = () => latest++\n' }],
    ['a judgement with a cache', { 'policy/a.ts': 'const known = new WeakMap<object, string>()\n' }],
    ['a silenced check', { 'core/a.ts': '// @ts-ignore\nexport const a = 1\n' }],
    ['a file too long', { 'core/a.ts': 'export {}\n'.repeat(MAX_LINES + 1) }],
    ['a cycle', { 'core/a.ts': "import './b.ts'\n", 'core/b.ts': "import type { A } from './a.ts'\n" }],
  ] as const)('would not stand with %s', ([, files]) => {
    expect(findFaultsOf(files)).toHaveLength(1)
  })

  it('lets pass what is allowed', () => {
    const files = {
      'index.ts': "export { call } from './faces/cli/call.ts'\nexport type { A } from './core/a.ts'\n",
      'core/a.ts':
        '/** Whether any of them fits: any will do. */\nexport const a = (x: unknown) => x as anyone\n',
      'core/b.ts': "import { a } from './a.ts'\nexport const b = 'x: any thing'\n",
      'host/a.ts': "import { readFileSync } from 'node:fs'\n",
      'workspace/a.ts':
        "import type { Entry } from '../journal/entry.ts'\nimport { a } from '../host/a.ts'\n",
      'pipeline/a.ts': "import { createHash } from 'node:crypto'\nimport { Ajv } from 'ajv'\n",
      'pipeline/approve/a.ts': "import { previewCall } from '../execute/preview.ts'\n",
      'pipeline/run-batch.ts': "import { plan } from './plan/plan.ts'\n",
      'pipeline/after/a.ts': "import { runBatch } from '../run-batch.ts'\n",
      'tools/a.ts': 'export const a = defineTool({})\n',
      'tools/built-in.ts': "import { a } from './a.ts'\nexport const builtInTools = [\n  a,\n]\n",
      ...Object.fromEntries(numbered(MAX_FILES)),
      'faces/cli/call.ts': "import { a } from '../../host/a.ts'\nimport { stdin } from 'node:process'\n",
    }
    expect(findFaultsOf(files)).toEqual([])
  })

  it.for(STAGES.slice(1).map((stage, index) => [STAGES[index] ?? '', stage] as const))(
    'has the stages in order: %s comes before %s',
    ([earlier, later]) => {
      const edge = (from: string, to: string) => ({
        [`pipeline/${from}/a.ts`]: `import { b } from '../${to}/b.ts'\n`,
      })
      expect(findFaultsOf(edge(earlier, later))).toHaveLength(1)
      expect(findFaultsOf(edge(later, earlier))).toEqual([])
    },
  )
})

function numbered(count: number): readonly (readonly [string, string])[] {
  return Array.from({ length: count }, (_, index) => [`schema/file-${index}.ts`, 'export {}\n'] as const)
}

function findFaultsOf(files: Readonly<Record<string, string>>): readonly string[] {
  const top = mkdtempSync(join(tmpdir(), 'tongs-house-'))
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(top, 'src', dirname(file)), { recursive: true })
      writeFileSync(join(top, 'src', file), text)
    }
    return findFaults(top)
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}
