import { failure } from '../../../core/error.ts'
import { canonicalJson } from '../../../core/json/canonical.ts'
import { isJsonObject } from '../../../core/json/value.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import { SERVER_SEPARATOR } from '../../../core/registry.ts'
import type { PowersOf, Tool } from '../../../core/tool.ts'
import { digest } from '../../../host/system/hash.ts'
import { compileSchema } from '../../../schema/compile-schema.ts'
import { anyObject, DIALECT, object, optional, string } from '../../../schema/schema.ts'
import { defineTool } from '../../../tools/define/define-tool.ts'
import type { EditorClient } from '../editor-client.ts'
import type { EditorSession } from '../editor-session.ts'
import { invalid } from '../explain-error.ts'

const NAME = /^[a-z][a-z0-9_]{0,47}$/
const MOST_TOOLS = 64
const SUMMARY_CHARS = 300
const VERSION_CHARS = 32

const outputSchema = object(
  {
    text: string('What the editor answered, as text.'),
    structured: optional(anyObject('What the editor answered, as an object.')),
  },
  'The result of a tool of the editor.',
)

/** Makes functions of the client tools of its session; they pass the same gates as any tool, and are asked about. */
export async function registerTools(session: EditorSession, given: readonly JsonObject[]): Promise<unknown> {
  if (!session.client.can.tools)
    throw invalid('Say in initialize that you run tools: clientCapabilities._meta.tongs.tools.')
  if (given.length > MOST_TOOLS) throw invalid(`At most ${MOST_TOOLS} tools can be registered.`)
  const own = new Set(session.opening.tools.map(({ name }) => name))
  const taken = new Set(session.runtime.definitions().flatMap(({ name }) => (own.has(name) ? [] : [name])))
  const tools = given.map((one) => toTool(one, session.client, taken))
  await session.reopen({ tools })
  return { tools: tools.map(({ name, effect }) => ({ name, effect })) }
}

function toTool(
  { name, description, inputSchema, effect = 'external', ...more }: JsonObject,
  client: EditorClient,
  taken: Set<string>,
): Tool {
  if (typeof name !== 'string' || !NAME.test(name))
    throw invalid(`The name of a tool has small letters, digits and _, at most 48: ${JSON.stringify(name)}.`)
  // Also of servers that nobody has trusted yet, or that are added later: a name must not pass from one to the other.
  if (name.includes(SERVER_SEPARATOR))
    throw invalid(`${name} would be the name of a tool of an MCP server: leave out ${SERVER_SEPARATOR}.`)
  if (taken.has(name)) throw invalid(`There is a tool ${name} already.`)
  taken.add(name)
  if (typeof description !== 'string' || description.trim() === '')
    throw invalid(`Tool ${name} needs a description.`)
  if (!isJsonObject(inputSchema)) throw invalid(`Tool ${name} needs an inputSchema, a JSON Schema.`)
  if (effect !== 'read' && effect !== 'external')
    throw invalid(`The effect of ${name} must be read or external: what it does happens in the editor.`)
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) throw invalid(`A tool has no ${JSON.stringify(unknown)}.`)
  const schema = { $schema: DIALECT, ...inputSchema }
  const compiled = compileSchema(schema)
  if (!compiled.ok)
    throw invalid(`The inputSchema of ${name} cannot be used: ${compiled.at || 'it'} ${compiled.message}.`)
  const facts = {
    name,
    version: versionOf({ name, description, schema, effect }, client),
    description: `From the editor, not part of Tongs. ${description}`,
    input: anyObject('The arguments, by the schema of the editor.'),
    output: outputSchema,
    summary: (args: JsonObject) => `${name} ${JSON.stringify(args)}`.slice(0, SUMMARY_CHARS),
    present: { text: present, mayTruncate: true },
  }
  const run = (args: JsonObject, powers: PowersOf['read' | 'external']): Promise<EditorResult> =>
    callEditor(name, args, powers, client)
  const tool =
    effect === 'read' ? defineTool({ ...facts, effect, run }) : defineTool({ ...facts, effect, run })
  // A yes is for this tool as it is now, and for this editor: another one may register something else by the name.
  return { ...tool, inputSchema: schema, foreign: { confinement: null, isPassing: true } }
}

/** A version that changes with all that a yes is about, and with the connection. */
function versionOf(definition: JsonObject, { connection }: Pick<EditorClient, 'connection'>): string {
  return `1.0.0+${digest(canonicalJson([definition, connection])).slice(0, VERSION_CHARS)}`
}

interface EditorResult {
  readonly text: string
  readonly structured?: JsonObject
}

async function callEditor(
  name: string,
  args: JsonObject,
  { executionId: execution, signal }: PowersOf['read' | 'external'],
  client: EditorClient,
): Promise<EditorResult> {
  const answer = await client
    .request('_tongs/tools/call', { name, args, execution }, signal)
    .catch((thrown: unknown) => {
      if (signal.aborted) throw thrown
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      throw failure('execution_failed', `The editor could not run ${name}: ${why}`, { tool: name })
    })
  const { text, structured, isError } = isJsonObject(answer) ? answer : {}
  if (typeof text !== 'string' || (structured !== undefined && !isJsonObject(structured)))
    throw failure('execution_failed', `The editor answered ${name} with something that is no result.`, {
      tool: name,
    })
  if (isError === true) throw failure('execution_failed', text, { tool: name })
  return structured === undefined ? { text } : { text, structured }
}

function present({ text, structured }: EditorResult): string {
  return text === '' && structured !== undefined ? JSON.stringify(structured, null, 2) : text
}
