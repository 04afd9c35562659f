// A loop of the AI SDK with the tools of this folder. The SDK asks for approval; the answer goes to our question.
//
//   npm install tongs ai @ai-sdk/openai
//   OPENAI_API_KEY=… MODEL=… node ai-sdk.mjs "Write a haiku about this folder into haiku.txt"
import { createInterface } from 'node:readline/promises'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount } from 'ai'
import { createRuntime } from 'tongs'
import { aiTools, noteDenials } from 'tongs/ai'

const session = `example-${Date.now()}`
const runtime = await createRuntime({ root: process.cwd(), approve: 'later' })
const model = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL }).chat(process.env.MODEL)
const terminal = createInterface({ input: process.stdin, output: process.stdout })
const lines = terminal[Symbol.asyncIterator]()
const messages = [{ role: 'user', content: process.argv[2] ?? 'What is in this folder?' }]

for (;;) {
  const tools = aiTools(runtime, { session, actor: { id: 'example' } })
  const { text, content, responseMessages } = await generateText({
    model,
    tools,
    messages,
    stopWhen: isStepCount(20),
  })
  messages.push(...responseMessages)
  const asked = content.filter(({ type }) => type === 'tool-approval-request')
  if (asked.length === 0) {
    console.log(text)
    break
  }
  const open = await runtime.pending({ session })
  const answers = []
  for (const { approvalId, toolCall } of asked) {
    const question = open.find(({ call }) => call.id === toolCall.toolCallId)
    console.log(`${question?.summary}? [y/n]`)
    const { value: line = 'n' } = await lines.next()
    answers.push({ type: 'tool-approval-response', approvalId, approved: line.trim() === 'y' })
  }
  messages.push({ role: 'tool', content: answers })
  await noteDenials(runtime, messages, { session })
}
terminal.close()
await runtime.close()
