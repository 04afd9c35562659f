import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { bookingTool } from './booking-tool.ts'

/** Dies while a tool takes back what a call did. */
const [, , root = '', stateDir = ''] = process.argv
const tools = [bookingTool(() => void process.kill(process.pid, 'SIGKILL'))]
const runtime = await createRuntime({ root, stateDir, tools, approve: () => ['once'] })
await runtime.run([{ id: 'b', name: 'book', args: { seat: '4A' } }], { session: 's' })
await runtime.undo({ session: 's' })
