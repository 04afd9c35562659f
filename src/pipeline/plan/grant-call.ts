import { canonicalJson } from '../../core/json/canonical.ts'
import type { Command, Tool } from '../../core/tool.ts'
import type { LastingFacts, RuleFact } from '../../policy/facts.ts'
import type { GrantCall } from '../../policy/grants/cover.ts'
import type { CallReading } from './gather-facts.ts'
import { UNGRANTED } from '../memory/grants.ts'
import type { FoundGrant } from '../memory/grants.ts'
import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'

/** What grants look at in a call. What a process or a foreign service touches is not bounded by the paths it names. */
export function grantCallOf(
  tool: Tool,
  call: Pick<Received, 'args' | 'meta' | 'onRecord'>,
  { tool: fact, claims }: Pick<LastingFacts, 'tool' | 'claims'>,
  engine: Engine,
): GrantCall {
  const { cwd } = call.meta
  const effect = fact?.effect ?? tool.effect
  return {
    tool: tool.name,
    argsDigest: argumentsDigest(call, engine),
    paths: effect === 'edit' || effect === 'read' ? claims.map(({ resolved }) => resolved) : [],
    command: commandOf(fact?.command ?? null, cwd),
    ...(fact?.extraAccess ? { isBeyond: true } : {}),
  }
}

/** What stands for the arguments of a call, with the folder it is meant for. */
export function argumentsDigest(
  { args, onRecord, meta: { cwd } }: Pick<Received, 'args' | 'meta' | 'onRecord'>,
  engine: Engine,
): string {
  return cwd === undefined ? onRecord.digest : engine.digest(canonicalJson([args, cwd]))
}

/** What grants say about a call; one that nobody would be asked about is not looked up. */
export function gatherGrants(
  { call, tool, reading }: CallReading,
  rules: RuleFact | null,
  { engine, isDryRun }: Run,
): FoundGrant {
  const isOpen = rules?.decision.is === 'open' && rules.decision.consents.length > 0
  const mayBeAsked = reading.tool?.effect !== 'read' || reading.tool.requiresApproval || isOpen
  const isReadable = reading.argumentProblems.length === 0 && reading.argumentError === null
  if (tool === null || !mayBeAsked || isDryRun || !isReadable) return UNGRANTED
  return engine.grants.find(tool.name, () => grantCallOf(tool, call, reading, engine))
}

/** In another folder the same words may start another program. */
function commandOf(command: Command | null, cwd: string | undefined): Command | null {
  if (command === null || cwd === undefined) return command
  return command.kind === 'words' ? { ...command, isAltered: true } : null
}
