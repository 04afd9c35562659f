import { userName } from '../../../../host/system/process.ts'
import { createRuntime } from '../../../../runtime/create-runtime.ts'
import type { ParsedLine } from '../../arguments.ts'
import { UsageError } from '../../errors.ts'
import { findFolders, loadFor, noteWitness } from '../../open.ts'
import { endOnSignals } from '../../signals.ts'
import type { Terminal } from '../../terminal.ts'
import { safe } from '../../terminal.ts'
import type { Faces } from '../../faces.ts'

const MOST_PORT = 65_535

/** `tongs mcp`: the tools of this root for a client of the Model Context Protocol; with a verb, about servers of others. */
export async function mcp(line: ParsedLine, terminal: Terminal, faces: Faces): Promise<number> {
  const [verb] = line.words
  if (verb === undefined) return serve(line, terminal, faces)
  const { SERVER_COMMANDS } = await import('./servers.ts')
  const command = Object.hasOwn(SERVER_COMMANDS, verb) ? SERVER_COMMANDS[verb] : undefined
  if (command !== undefined) return command(line, terminal)
  throw new UsageError(
    `unknown mcp command ${JSON.stringify(verb)}`,
    `try mcp ${Object.keys(SERVER_COMMANDS).join(', mcp ')}, or mcp alone to serve`,
  )
}

async function serve(line: ParsedLine, terminal: Terminal, { serveMcp }: Faces): Promise<number> {
  if (serveMcp === null) throw new UsageError('this program cannot serve MCP', 'use the tongs command')
  for (const option of ['--dry-run', '--json', '--yes', '--session'])
    if (line.has(option) || line.value(option) !== undefined)
      throw new UsageError(`mcp does not take ${option}`, 'give it to call, batch or run')
  const port = readPort(line.value('--http'))
  const folders = findFolders(line)
  // What a client sends is taken exactly as it is.
  const loaded = await loadFor(line, folders, line.value('--preset'), ['tools.arguments=exact'])
  const tell = (words: string): void => terminal.warn(safe(`tongs: ${words}`))
  for (const notice of loaded.notices) tell(notice)
  await noteWitness(loaded.settings['journal.witness'], folders, terminal)
  const stop = new AbortController()
  const release = endOnSignals(stop)
  const runtime = await createRuntime({ ...folders, loaded, approve: 'later', actor: { id: userName() } })
  try {
    await runtime.ready()
    await runtime.warm()
    return await serveMcp({ runtime, port, stateDir: folders.stateDir, tell, signal: stop.signal })
  } finally {
    await runtime.close()
    release()
  }
}

function readPort(text: string | undefined): number | null {
  if (text === undefined) return null
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= MOST_PORT) return port
  throw new UsageError(`--http takes a port from 0 to ${MOST_PORT}, not ${text}`, '0 takes any that is free')
}
