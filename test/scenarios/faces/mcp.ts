import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { isJsonObject } from '../../../src/core/json/value.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { main } from '../../../src/faces/cli/main.ts'
import { createArgumentProblems, LineTransport } from '../../../src/faces/mcp/line-transport.ts'
import { serveStreams } from '../../../src/faces/mcp/serve.ts'
import { TONGS } from '../../faces/cli/command-line.ts'
import { commandsHere } from '../command.ts'
import type { RunCommand } from '../command.ts'
import type { Face } from '../face.ts'
import type { Person } from '../person.ts'
import type { Place } from '../place.ts'
import type { Answer, ScenarioCall } from '../scenario.ts'
import { answerWords, listPending, mustEndWell } from './command-line.ts'

/** `tongs mcp` with the official client, whose person fills in forms; what is put off is answered on the command line. */
const withConnection = (connect: Connect): Face => ({
  name: 'mcp',
  hasBatches: false,
  origin: 'model',
  async open(place, { preset }) {
    let person: Person | null = null
    const words = preset === undefined ? [] : ['--preset', preset]
    const { client, close } = await connect(place, words, (form) => {
      if (person === null) throw new Error('a question came before any call')
      return person.isLater ? later : fillIn(form, person.next())
    })
    const here = commandsHere(place)
    const tongs: RunCommand = (line) => here([...line, ...words])
    const waiting: ScenarioCall[] = []
    const call = async ({ name, args }: ScenarioCall, cancel: AbortSignal | null) => {
      const given = { name, arguments: args }
      if (cancel === null) return readResult(name, await client.callTool(given))
      // The protocol has no answer to a call that its client has cancelled.
      return client.callTool(given, { signal: cancel }).then(
        (result) => readResult(name, result),
        () => null,
      )
    }
    return {
      async run(calls, how) {
        person = how.person
        const rows: (ToolResult | null)[] = []
        for (const one of calls) {
          const row = await call(one, how.cancel)
          if (row?.ok === false && row.error.code === 'approval_required') waiting.push(one)
          rows.push(row)
        }
        return rows
      },
      async answer(given) {
        const rows: (ToolResult | null)[] = []
        for (const one of waiting.splice(0)) {
          const [request] = await listPending(tongs)
          if (request === undefined) throw new Error('nothing is waiting')
          await tongs(answerWords(request, given.answer(request)))
          person = given
          rows.push(await call(one, null))
        }
        return rows
      },
      async undo({ last, isTurn }) {
        const choice = isTurn === true ? ['--turn'] : last === undefined ? [] : ['--last', `${last}`]
        await mustEndWell(tongs, ['undo', '--yes', ...choice])
      },
      redo: () => mustEndWell(tongs, ['redo', '--yes']),
      close,
    }
  },
})

const later: ElicitResult = { action: 'accept', content: { answer: 'decide later' } }

interface Connected {
  readonly client: Client
  readonly close: () => Promise<void>
}

type FillIn = (form: JsonObject) => ElicitResult
type Connect = (place: Place, words: readonly string[], fill: FillIn) => Promise<Connected>

/** Serves in this process, over streams: only the program that starts it is left out. */
const connectHere: Connect = async ({ root }, words, fill) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = main(['mcp', '--root', root, ...words], {
    openApp: null,
    serveMcp: (serving) => serveStreams(serving, input, output),
    serveAcp: null,
  })
  const client = createClient(fill)
  await client.connect(new LineTransport(output, input, createArgumentProblems()))
  return {
    client,
    async close() {
      input.end()
      await served
    },
  }
}

/** Serves in a process of its own, on its standard streams. */
const connectProcess: Connect = async ({ root, env }, words, fill) => {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const client = createClient(fill)
  await client.connect(
    new StdioClientTransport({
      command: TONGS,
      args: ['mcp', '--root', root, ...words],
      env: Object.fromEntries(given),
      cwd: root,
    }),
  )
  return { client, close: () => client.close() }
}

/** Served in this process, where that costs little. */
export const mcp = withConnection(connectHere)
/** Served by `bin/tongs mcp`. */
export const mcpProcess = withConnection(connectProcess)

/** A client of the official library that can show forms. */
function createClient(fill: FillIn): Client {
  const client = new Client(
    { name: 'scenarios', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => fill(isJsonObject(params) ? params : {}))
  return client
}

/** Fills in a form as the person answers. */
function fillIn(form: JsonObject, answer: Answer): ElicitResult {
  const content = ((): Record<string, string> => {
    if (answer === 'yes') return { answer: 'yes, this once' }
    if (answer === 'no') return { answer: 'no' }
    if ('no' in answer) return { answer: 'no', say: answer.no }
    if ('hunks' in answer) return { answer: 'yes, this once', hunks: answer.hunks.join(',') }
    const offered = offersOf(form)
    if ('seconds' in answer)
      return { answer: offered.find((one) => one.endsWith(` for ${answer.seconds} seconds`)) ?? 'none' }
    return { answer: offered.filter((one) => one.startsWith('yes, until revoked'))[answer.offer] ?? 'none' }
  })()
  return { action: 'accept', content }
}

function offersOf({ requestedSchema: schema }: JsonObject): readonly string[] {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  const field = isJsonObject(properties) ? properties['answer'] : undefined
  const offered = isJsonObject(field) ? field['enum'] : undefined
  return Array.isArray(offered) ? offered.map(String) : []
}

/** Our result as the client has it: its text, its structured content, and what lies in `_meta`. */
function readResult(
  name: string,
  { content, structuredContent, isError, _meta: meta }: CallToolResult,
): ToolResult {
  const about = meta?.['tongs/result']
  if (!isJsonObject(about) || about['name'] !== name || about['ok'] === (isError ?? false))
    throw new Error(`not a result of ${name}: ${JSON.stringify({ content, meta })}`)
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const result = structuredContent === undefined ? {} : { result: structuredContent }
  return { ...about, id: '', content: text, ...result } as unknown as ToolResult
}
