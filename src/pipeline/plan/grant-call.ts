import { canonicalJson } from '../../core/json/canonical.ts'
import type { Command, Tool } from '../../core/tool.ts'
import type { LastingFacts, RuleFact } from '../../policy/facts.ts'
import type { GrantCall } from '../../policy/grants/cover.ts'
import type { CallReading } from './gather-facts.ts'
import { UNGRANTED } from '../memory/grants.ts'
import type { FoundGrant } from '../memory/grants.ts'
import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'

/** What grants look at in a call. Paths are left out for processes and external services, which may touch others too. */
export function grantCallOf(
  tool: Tool,
  call: Pick<Received, 'args' | 'meta' | 'onRecord'>,
  { tool: fact, claims }: Pick<LastingFacts, 'tool' | 'claims'>,
  engine: Engine,
): GrantCall {
  const { cwd } = call.meta
  const effect = fact?.effect ?? tool.effect
  // The first claim is then the folder, which the other paths already contain.
  const touched = cwd !== undefined && tool.rebase !== null ? claims.slice(1) : claims
  return {
    tool: tool.name,
    argsDigest: argumentsDigest(call, engine),
    paths: effect === 'edit' || effect === 'read' ? touched.map(({ resolved }) => resolved) : [],
    command: commandOf(fact?.command ?? null, cwd),
    ...(fact?.extraAccess ? { isBeyond: true } : {}),
    ...(tool.usual === null
      ? {}
      : {
          usual: { says: tool.usual.says, isIncluded: cwd === undefined && tool.usual.includes(call.args) },
        }),
  }
}

/** The digest of a call's arguments, together with its working folder if it names one. */
export function argumentsDigest(
  { args, onRecord, meta: { cwd } }: Pick<Received, 'args' | 'meta' | 'onRecord'>,
  engine: Engine,
): string {
  return cwd === undefined ? onRecord.digest : engine.digest(canonicalJson([args, cwd]))
}

/** Finds the grant for a call; calls that need no approval are not looked up. */
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

/** In another folder the same command line may start another program. */
function commandOf(command: Command | null, cwd: string | undefined): Command | null {
  if (command === null || cwd === undefined) return command
  return command.kind === 'words' ? { ...command, isAltered: true } : null
}
