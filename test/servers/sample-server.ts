/** A well-behaved MCP server for tests, written with the official library and started as a child. */
import { appendFileSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { spawn } from 'node:child_process'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const [, , log = ''] = process.argv

const text = { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] }
const TOOLS = [
  { name: 'echo', description: 'Says it again.', inputSchema: text },
  {
    name: 'count',
    description: 'Counts characters.',
    inputSchema: text,
    outputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
  },
  { name: 'read', description: 'Reads a file.', inputSchema: text },
  {
    name: 'append',
    description: 'Writes to its log.',
    inputSchema: text,
    annotations: { readOnlyHint: true },
  },
  { name: 'dial', description: 'Connects to a port.', inputSchema: text },
  { name: 'env', description: 'Shows a variable.', inputSchema: text },
  { name: 'breed', description: 'Starts a process that outlives it.', inputSchema: text },
]

const say = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

async function dial(port: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () => resolve('connected'))
  socket.once('error', (error) => resolve(error.message))
  return promise.finally(() => socket.destroy())
}

async function call(name: string, value: string, meta: unknown) {
  switch (name) {
    case 'echo':
      return say(value)
    case 'count':
      return { ...say(`${value.length}`), structuredContent: { count: value.length } }
    case 'read':
      return say(readFileSync(value, 'utf8'))
    case 'append':
      appendFileSync(log, `${value} ${JSON.stringify(meta)}\n`)
      return say('written')
    case 'dial':
      return say(await dial(Number(value)))
    case 'env':
      return say(String(process.env[value]))
    case 'breed': {
      const child = spawn('setsid', ['sleep', value], { detached: true, stdio: 'ignore' })
      child.unref()
      return say('born')
    }
    default:
      throw new Error(`there is no ${name}`)
  }
}

serveStdio(() => {
  const server = new Server({ name: 'sample', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }) as never)
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { name, arguments: args, _meta: meta } = params
    return call(name, String(args?.['value']), meta)
  })
  return server
})
