import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { ApprovalRequest } from '../../core/approval.ts'
import type { Runtime } from '../../runtime/runtime.ts'

interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'
/** The newest entries that the log shows. */
const MOST_ENTRIES = 500

const RESOURCES: readonly (Resource & {
  readonly read: (runtime: Runtime, session: string | null) => Promise<string>
})[] = [
  {
    uri: 'tongs://session/log',
    name: 'session-log',
    title: 'Session log',
    description: `What is on record of this connection, one entry a line, at most the newest ${MOST_ENTRIES}`,
    mimeType: LINES_TYPE,
    read: async (runtime, session) =>
      session === null
        ? ''
        : [...runtime.log({ session, last: MOST_ENTRIES })].map((entry) => JSON.stringify(entry)).join('\n'),
  },
  {
    uri: 'tongs://pending',
    name: 'pending',
    title: 'Open questions',
    description: 'The calls of this connection that wait for the approval of a person',
    mimeType: JSON_TYPE,
    read: async (runtime, session) => {
      const open = session === null ? [] : await runtime.pending({ session })
      return JSON.stringify(open.map(asListed), null, 2)
    },
  },
  {
    uri: 'tongs://audit/head',
    name: 'audit-head',
    title: 'Audit head',
    description: 'Whether the log verifies, and its newest hash, to be kept elsewhere and checked later',
    mimeType: JSON_TYPE,
    read: async (runtime) => JSON.stringify(await runtime.verify(), null, 2),
  },
]

/** What a model may know of a question: its arguments and its diff are for the person, with what they hold of secrets. */
function asListed({ id, execution, call, kind, summary, risk, asked_at, expires_at }: ApprovalRequest) {
  return { id, execution, name: call.name, kind, summary, risk, asked_at, expires_at }
}

/** What a client can read besides calling tools. */
export function listResources(): readonly Resource[] {
  return RESOURCES.map(({ read: _read, ...resource }) => resource)
}

/** Reads one of them. */
export async function readResource(
  uri: string,
  runtime: Runtime,
  session: string | null,
): Promise<{ readonly uri: string; readonly mimeType: string; readonly text: string }> {
  const resource = RESOURCES.find((one) => one.uri === uri)
  if (resource !== undefined)
    return { uri, mimeType: resource.mimeType, text: await resource.read(runtime, session) }
  const known = RESOURCES.map((one) => one.uri).join(', ')
  const message = `There is no resource ${uri}; there are ${known}.`
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri })
}
