// A loop with OpenAI's own client and the tools of this folder.
//
//   npm install tongs openai
//   OPENAI_API_KEY=… MODEL=… node openai.mjs "Write a haiku about this folder into haiku.txt"
import { createInterface } from 'node:readline/promises'
import OpenAI from 'openai'
import { createRuntime } from 'tongs'

const terminal = createInterface({ input: process.stdin, output: process.stdout })
const lines = terminal[Symbol.asyncIterator]()
const runtime = await createRuntime({ root: process.cwd(), approve: ask })
const client = new OpenAI()
const session = `example-${Date.now()}`
const tools = runtime.advertised().map(({ name, description, inputSchema }) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
}))
const messages = [{ role: 'user', content: process.argv[2] ?? 'What is in this folder?' }]

for (let iteration = 1; ; iteration++) {
  const { choices } = await client.chat.completions.create({
    model: process.env.MODEL,
    messages,
    tools,
  })
  const { message } = choices[0]
  messages.push(message)
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
    id,
    name,
    args: parse(text),
  }))
  if (calls.length === 0) {
    console.log(message.content)
    break
  }
  // All calls of a message are one batch: they run in order, and every one of them gets a result.
  const results = await runtime.run(calls, { session, origin: 'model', turn: 'first', iteration })
  for (const { id, content } of results) messages.push({ role: 'tool', tool_call_id: id, content })
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

/** What is not JSON is passed on as it is: the call is refused, and the model is told why. */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
