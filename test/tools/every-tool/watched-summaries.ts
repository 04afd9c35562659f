import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { JsonObject } from '../../../src/core/json/value.ts'
import type { Tool } from '../../../src/core/tool.ts'
import { barNetwork, watchFunctions } from '../../harness/watch-functions.ts'

/** What a summary came to, and everything it did beside. */
export interface WatchedSummary {
  readonly id: string
  readonly text: string
  readonly used: readonly string[]
}

/** Which tool is to sum up which call. */
export interface SummaryWish {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

const wishes = JSON.parse(process.argv[2] ?? '') as readonly SummaryWish[]
const write = fs.writeSync
let used: string[] = []

barNetwork((name) => used.push(name))
for (const [label, functions] of Object.entries({ fs, promises: fs.promises, childProcess }))
  watchFunctions(functions, (name) => used.push(`${label}.${name}`))
for (const stream of ['stdout', 'stderr'] as const) {
  process[stream].write = () => {
    used.push(`${stream}.write`)
    return true
  }
}
syncBuiltinESMExports()

const { shippedTools } = await import('./shipped-tools.ts')
const { simpleTool } = await import('../../harness/simple-tool.ts')

/** Tools that break the promise, one in each way. */
const impure = (name: string, summary: (args: { word: string }) => unknown): Tool =>
  simpleTool(name, () => ({ said: '' }), { summary: (args: { word: string }) => String(summary(args)) })
let calls = 0
const controls = [
  impure('looks_at_disk', ({ word }) => fs.existsSync(word)),
  impure('writes', ({ word }) => fs.mkdtempSync(word)),
  impure('reads_later', ({ word }) => void fs.promises.stat(word).catch(() => undefined)),
  impure('starts', () => childProcess.spawnSync('true').status),
  impure('connects', () => void fetch('http://localhost')),
  impure('prints', ({ word }) => process.stdout.write(word)),
  impure('counts', () => ++calls),
  impure('sets_environment', ({ word }) => (process.env['TONGS_TEST'] = word)),
  impure('changes_arguments', (args) => (args.word = 'other')),
]
const tools = new Map([...shippedTools, ...controls].map((tool) => [tool.name, tool]))

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) deepFreeze(one)
  return Object.freeze(value)
}

function watch({ id, name, args }: SummaryWish): WatchedSummary {
  used = []
  const environment = JSON.stringify(process.env)
  const tool = tools.get(name)
  if (tool === undefined) throw new Error(`there is no tool ${name}`)
  const fixed = deepFreeze(args)
  try {
    const [text, again] = [tool.summary(fixed), tool.summary(fixed)]
    if (text !== again) used.push('something that changes')
    if (JSON.stringify(process.env) !== environment) used.push('process.env')
    return { id, text, used }
  } catch (thrown) {
    return { id, text: '', used: [...used, String(thrown)] }
  }
}

const summaries = wishes.map(watch)
write(1, JSON.stringify(summaries))
