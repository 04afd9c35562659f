import { canonicalJson } from '../core/json/canonical.ts'
import type { Command } from '../core/command/command.ts'
import type { Tool } from '../core/tool.ts'
import type { CallFacts } from '../policy/facts.ts'
import type { GrantCall } from '../policy/grants/cover.ts'
import type { House } from './house.ts'
import type { Received } from './receive.ts'

/** What grants look at in a call. What a process or a foreign service touches is not bounded by the paths it names. */
export function grantCallOf(
  tool: Tool,
  { args, meta: { cwd } }: Pick<Received, 'args' | 'meta'>,
  { tool: fact, claims }: Pick<CallFacts, 'tool' | 'claims'>,
  house: House,
): GrantCall {
  const effect = fact?.effect ?? tool.effect
  return {
    tool: tool.name,
    argsDigest: house.digest(canonicalJson(cwd === undefined ? args : [args, cwd])),
    paths: effect === 'edit' || effect === 'read' ? claims.map(({ resolved }) => resolved) : [],
    command: commandOf(fact?.command ?? null, cwd),
    ...(fact?.wishes ? { isBeyond: true } : {}),
  }
}

/** In another folder the same words may start another program. */
function commandOf(command: Command | null, cwd: string | undefined): Command | null {
  if (command === null || cwd === undefined) return command
  return command.kind === 'words' ? { ...command, isAltered: true } : null
}
