import { openConversation } from '../../../src/agent/open-conversation.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { call, scripted, write } from '../talk.ts'

/** A process in which a delegated conversation has written a file and waits for its model; it is killed then. */
const [root = '', stateDir = ''] = process.argv.slice(2)
const TASK = 'Write n.txt.'
const script = scripted([{ calls: [call('d1', 'delegate', { task: TASK })] }], [], 'script:test', {
  [TASK]: [{ calls: [write('c1')] }, { text: 'never said' }],
})
const runtime = await createRuntime({
  root,
  stateDir,
  durability: 'full',
  approve: (requests) => requests.map(() => 'once' as const),
})
const model = {
  ...script,
  stream: async function* (request: Parameters<typeof script.stream>[0], signal: AbortSignal) {
    const [first, ...others] = request.messages
    if (first?.role === 'user' && first.text === TASK && others.length > 0) {
      yield { type: 'text', text: 'Half of ' } as const
      process.stdout.write('waiting\n')
      await new Promise((resolve) => setTimeout(resolve, 600_000))
    }
    yield* script.stream(request, signal)
  },
}
const conversation = await openConversation({ runtime, model, session: 's' })
for await (const event of conversation.send('go')) process.stderr.write(`${event.event}\n`)
