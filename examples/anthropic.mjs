// A loop with Anthropic's own client and the tools of this folder.
//
//   npm install tongs @anthropic-ai/sdk
//   ANTHROPIC_API_KEY=… MODEL=… node anthropic.mjs "Write a haiku about this folder into haiku.txt"
import { createInterface } from 'node:readline/promises'
import Anthropic from '@anthropic-ai/sdk'
import { createRuntime } from 'tongs'

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const lines = terminal[Symbol.asyncIterator]()
const runtime = await createRuntime({ root: process.cwd(), approve: ask })
const client = new Anthropic()
const session = `example-${Date.now()}`
const tools = runtime.advertised().map(({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: { ...inputSchema, type: 'object' },
}))
const messages = [{ role: 'user', content: process.argv[2] ?? 'What is in this folder?' }]

for (let iteration = 1; ; iteration++) {
  const { content } = await client.messages.create({
    model: process.env.MODEL,
    max_tokens: 4096,
    messages,
    tools,
  })
  messages.push({ role: 'assistant', content })
  const calls = content.flatMap((part) =>
    part.type === 'tool_use' ? [{ id: part.id, name: part.name, args: part.input }] : [],
  )
  if (calls.length === 0) {
    console.log(content.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    break
  }
  // All calls of a message are one batch: they run in order, and every one of them gets a result.
  const results = await runtime.run(calls, { session, origin: 'model', turn: 'first', iteration })
  const answers = results.map(({ id, ok, content: text }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: text,
    is_error: !ok,
  }))
  messages.push({ role: 'user', content: answers })
}
terminal.close()
await runtime.close()

async function ask(requests) {
  const answers = []
  for (const { summary } of requests) {
    console.log(`${summary}? [y/n]`)
    const { value: line = 'n' } = await lines.next()
    answers.push(line.trim() === 'y' ? 'once' : 'deny')
  }
  return answers
}
