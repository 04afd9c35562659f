import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agreeOnce } from '../../src/core/approval.ts'
import { isJsonObject } from '../../src/core/json/value.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'

/** How our client got on with a server. */
export interface ClientRun {
  readonly isGood: boolean
  readonly said: readonly string[]
}

const SIGN_INS = 3
const SIGN_IN_MS = 10_000
const CALL_SECONDS = 45

/**
 * Our MCP client against a server of the conformance suite: it reads and trusts what is offered, calls every tool, and
 * signs in where it has to, with a browser that agrees to everything. The context of a scenario may say which calls to
 * make.
 */
export async function driveClient(url: string, context = ''): Promise<ClientRun> {
  const folder = mkdtempSync(join(tmpdir(), 'tongs-conformance-'))
  const root = join(folder, 'root')
  mkdirSync(root)
  const before = process.env['XDG_CONFIG_HOME']
  process.env['XDG_CONFIG_HOME'] = join(folder, 'config')
  const config = { 'mcp.servers': { s: { url, timeout_seconds: CALL_SECONDS } } }
  const open = (): Promise<Runtime> =>
    createRuntime({ root, stateDir: join(folder, 'state'), approve: agreeOnce, durability: 'memory', config })
  const said: string[] = []
  let isGood = true
  const note = (error: unknown): void => {
    said.push(String(error))
    isGood = false
  }
  const signIns = { left: SIGN_INS }
  const first = await open()
  try {
    const inspection = await signedIn(first, signIns, () => first.servers.inspect('s'))
    first.servers.trust(inspection)
    for (const { name, why } of inspection.refused) said.push(`${name} is refused: ${why}`)
    const runtime = await open()
    try {
      const offered = runtime.definitions().filter(({ name }) => name.startsWith('s__'))
      const samples = offered.map(({ name, inputSchema }) => ({ name, args: sampleOf(inputSchema) }))
      for (const call of wantedCalls(context) ?? samples)
        await signedIn(runtime, signIns, () => callTool(runtime, call)).then(
          (words) => said.push(words),
          note,
        )
    } finally {
      await runtime.close()
    }
  } catch (error) {
    note(error)
  } finally {
    await first.close()
    process.env['XDG_CONFIG_HOME'] = before
    rmSync(folder, { recursive: true, force: true })
  }
  return { isGood, said }
}

/** Does something, and once more after each sign-in that it wants. */
async function signedIn<T>(runtime: Runtime, signIns: { left: number }, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!String(error).includes('wants the user to sign in') || signIns.left === 0) throw error
      signIns.left -= 1
      const show = ({ address }: { readonly address: URL }): void =>
        void fetch(address).catch(() => undefined)
      await runtime.servers.signIn('s', { show, signal: AbortSignal.timeout(SIGN_IN_MS) })
    }
  }
}

interface WantedCall {
  readonly name: string
  readonly args: JsonObject
}

/** The calls that a scenario wants made; null if it leaves them to us. */
function wantedCalls(context: string): readonly WantedCall[] | null {
  const value = context === '' ? null : (JSON.parse(context) as JsonValue)
  const calls = isJsonObject(value) ? value['toolCalls'] : null
  if (!Array.isArray(calls)) return null
  return calls.flatMap((call: JsonValue) => {
    const { name, arguments: args } = isJsonObject(call) ? call : {}
    if (typeof name !== 'string' || !isJsonObject(args)) return []
    // Null fits none of their schemas; it is their way to say that an argument is left out.
    const given = Object.entries(args).filter(([, arg]) => arg !== null)
    return [{ name: `s__${name}`, args: Object.fromEntries(given) }]
  })
}

async function callTool(runtime: Runtime, { name, args }: WantedCall): Promise<string> {
  const [result] = await runtime.run([{ id: `c-${name}`, name, args }])
  if (result?.ok === false) throw new Error(result.error.message)
  return `${name}: ${result?.content ?? ''}`
}

/** Arguments that a schema of the suite accepts. */
function sampleOf(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, isJsonObject(inner) ? valueOf(inner) : null]),
  )
}

function valueOf(schema: JsonObject): JsonValue {
  const { type, enum: choices } = schema
  if (Array.isArray(choices)) return choices[0] ?? null
  if (type === 'number' || type === 'integer') return 5
  if (type === 'boolean') return true
  if (type === 'array') return []
  return type === 'object' ? sampleOf(schema) : 'test'
}
