import { printedAddress, printedWords } from '../../core/text/secrets/printed-words.ts'
import type { Definition, RefusedTool } from '../../servers/definition.ts'
import { noteError, readLastError } from '../../servers/pins.ts'
import { isUsed } from '../../servers/foreign-tool.ts'
import { diffDefinitions } from '../../servers/show-definition.ts'
import type { OpenedServer } from './opened-server.ts'
import { isSignedIn } from './sign-in-at.ts'
import { readTrustedPins } from './trusted-pins.ts'

export { noteError } from '../../servers/pins.ts'
export { trustPins } from './trusted-pins.ts'

/** How a configured server stands. */
export interface ServerView {
  readonly name: string
  /** Its program or its address. */
  readonly where: string
  readonly state: 'off' | 'untrusted' | 'trusted'
  readonly effect: 'read' | 'external'
  /** What confines its program; null for an address. */
  readonly sandbox: string | null
  /** What its tools are called here. */
  readonly tools: readonly string[]
  readonly refused: readonly RefusedTool[]
  readonly lastError: string | null
  /** Whether the user has signed in at its address. */
  readonly isSignedIn: boolean
}

/** What a server offers now, compared with what was trusted. */
export interface ServerInspection {
  readonly name: string
  readonly definitions: readonly Definition[]
  readonly refused: readonly RefusedTool[]
  readonly wasTrusted: boolean
  /** What confines its program; null for an address. */
  readonly sandbox: string | null
  /** What changed since; everything if nothing was trusted. */
  readonly diff: string
}

/** How a server stands. */
export function viewServer(one: OpenedServer, stateDir: string): ServerView {
  const { name, setting, definitions, tools, refused, sandbox } = one
  return {
    name,
    where:
      setting.url === null
        ? [setting.command ?? '', ...printedWords(setting.args)].join(' ')
        : printedAddress(setting.url),
    state: !setting.enabled ? 'off' : definitions === null ? 'untrusted' : 'trusted',
    effect: setting.effect,
    sandbox,
    tools: tools.map((tool) => tool.name),
    refused,
    lastError: readLastError(stateDir, name),
    isSignedIn: isSignedIn(setting),
  }
}

/** Starts a server and compares what it offers with what was trusted. */
export async function inspectServer(
  { name, setting, server, sandbox }: OpenedServer,
  stateDir: string,
): Promise<ServerInspection> {
  const listed = await server.list()
  const definitions = listed.tools.filter((tool) => isUsed(tool.name, setting))
  const before = readTrustedPins(stateDir, name, setting.boundTo)
  noteError(stateDir, name, null)
  return {
    name,
    definitions,
    refused: listed.refused,
    wasTrusted: before !== null,
    sandbox,
    diff: diffDefinitions(before ?? [], definitions),
  }
}
