import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../eval/runners/apps.ts'

/** Where the program lies in its home. */
const FILE = 'least.mjs'
const SHOWN = 'ready'

/** Everything that an agent cannot do without: a request, its stream, the calls in it, and a loop around them. */
const PROGRAM = `import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
const [url, prompt] = process.argv.slice(2)
const TOOLS = {
  read: ({ path }) => readFileSync(path, 'utf8'),
  edit: ({ path, old, next }) => writeFileSync(path, readFileSync(path, 'utf8').replace(old, next)) ?? 'edited',
  command: ({ line }) => spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout,
}
const tools = Object.keys(TOOLS).map((name) => ({ type: 'function', function: { name, parameters: {} } }))
if (url === 'screen') {
  process.stdin.resume()
  process.stdout.write('${SHOWN}')
} else await talk([{ role: 'user', content: prompt }])

async function talk(messages) {
  for (;;) {
    const body = JSON.stringify({ model: 'eval', stream: true, messages, tools })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url + '/chat/completions', { method: 'POST', headers, body })
    let text = ''
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) text += piece
    const lines = text.split('\\n').filter((line) => line.startsWith('data: {'))
    const deltas = lines.flatMap((line) => JSON.parse(line.slice(6)).choices.map(({ delta }) => delta))
    const calls = deltas.flatMap(({ tool_calls: made }) => made ?? [])
    const said = deltas.map(({ content }) => content ?? '').join('')
    messages.push({ role: 'assistant', content: said, ...(calls.length === 0 ? {} : { tool_calls: calls }) })
    if (calls.length === 0) return
    for (const call of calls) {
      const content = TOOLS[call.function.name](JSON.parse(call.function.arguments))
      messages.push({ role: 'tool', tool_call_id: call.id, content })
    }
  }
}
`

/**
 * The least that an agent on Node can do, to compare with: it asks, runs what it is told and asks again, and judges, records
 * and confines nothing.
 */
export const LEAST: App = {
  runner: {
    name: 'least',
    prepare: () => '1',
    configure: ({ home }) => writeFileSync(join(home, FILE), PROGRAM),
    command: ({ home, url }, prompt) => ({
      program: process.execPath,
      args: [join(home, FILE), url, prompt],
      env: {},
    }),
    tally: () => ({ calls: 0, failed: 0, questions: 0 }),
  },
  open: ({ home }) => `'${process.execPath}' '${join(home, FILE)}' screen`,
  isOpen: new RegExp(SHOWN),
  read: (path) => ['read', { path }],
  edit: (path, old, next) => ['edit', { path, old, next }],
  command: (line) => ['command', { line }],
}
