import { showPath } from '../../core/text/display/show-path.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import type { GrantedStart } from '../../core/grant.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { Command, Tool, UsualCalls } from '../../core/tool.ts'
import type { CallFacts, ExtraPathFact, RuleFact } from '../../policy/facts.ts'
import type { GrantCall, UsualCall } from '../../policy/grants/cover.ts'
import type { CallReading } from './gather-facts.ts'
import { placesElsewhere } from './extra-paths.ts'
import { UNGRANTED } from '../memory/grants.ts'
import type { FoundGrant } from '../memory/grants.ts'
import type { Engine, Run } from '../engine.ts'
import type { Received } from '../step.ts'

/**
 * What grants look at in a call. Paths are left out for processes and external services, which may touch others too, and
 * a folder is none, because names in it may not match the pattern that it matches itself.
 */
export function grantCallOf(
  tool: Tool,
  call: Pick<Received, 'args' | 'meta' | 'onRecord'>,
  facts: Pick<CallFacts, 'tool' | 'claims' | 'extraPaths'>,
  start: GrantedStart | null,
  engine: Engine,
): GrantCall {
  const { tool: fact, claims } = facts
  const { cwd } = call.meta
  const effect = fact?.effect ?? tool.effect
  // The first claim is then the folder, which the other paths already contain.
  const touched = cwd !== undefined && tool.rebase !== null ? claims.slice(1) : claims
  return {
    tool: tool.name,
    ...(tool.foreign === null ? {} : { version: tool.version }),
    argsDigest: argumentsDigest(call, facts, engine),
    paths:
      effect === 'edit' || effect === 'read'
        ? touched.map(({ resolved, isFolder }) => (isFolder ? null : resolved))
        : [],
    command: commandOf(fact?.command ?? null, cwd),
    ...(fact?.webAddress ? { origin: fact.webAddress.origin } : {}),
    ...(fact?.extraAccess ? { isBeyond: true } : {}),
    ...(effect === 'spawn' && tool.foreign === null ? confinedBy(engine) : {}),
    ...(tool.usual === null ? {} : { usual: usualCallOf(tool.usual, call, start) }),
  }
}

/** What confines a command, in words, if that is less than a sandbox and a layer over all of the workspace. */
function confinedBy({ shell, settings }: Engine): Pick<GrantCall, 'confined'> {
  const status = shell.status()
  if (!status.holds) return { confined: 'not confined' }
  const direct = settings['tools.shell.passthrough']
  if (status.isSandboxed && status.layer !== 'none' && direct.length === 0) return {}
  const where = direct.length === 0 ? [] : [`writing ${direct.map(showPath).join(', ')} directly`]
  return {
    confined: [status.label, ...(status.layer === 'none' ? ['without a layer'] : []), ...where].join('; '),
  }
}

function usualCallOf(
  { says, includes, bindsStart }: UsualCalls<JsonObject>,
  { args, meta }: Pick<Received, 'args' | 'meta'>,
  start: GrantedStart | null,
): UsualCall {
  const isIncluded = meta.cwd === undefined && includes(args)
  return { says, isIncluded, ...(bindsStart === true ? { start } : {}) }
}

/** What a grant binds of the processes that a call would start; null if it announces none, or nobody can say what they run. Limits are settings, and no part of it. */
export function grantedStart(
  starts: readonly SpawnRequest[] | undefined,
  { digest, shell }: Engine,
): GrantedStart | null {
  if (starts === undefined || starts.length === 0) return null
  if (starts.some(({ behind }) => behind?.text === null)) return null
  const described = starts.map((start) => {
    const { argv, stem = argv, cwd = '.', env = {}, programs = null, stdin = null, behind = null } = start
    return {
      stem: [...stem],
      cwd,
      env,
      programs,
      stdin,
      behind: behind?.text ?? null,
      // Any of them may be the program, with a variable or another program in front.
      found: stem.map((word) => shell.findProgram(word, { ...start, argv: stem })?.path ?? null),
      // Scripts start further programs by their names alone.
      replaced: shell.findReplaced(start).map(([name, path]) => [name, path]),
    }
  })
  const words = starts.flatMap(({ argv, stem = argv, behind }) => [
    ...stem,
    ...(behind === undefined ? [] : [`(${behind.says})`]),
  ])
  return { digest: digest(canonicalJson(described)), words }
}

/**
 * The digest of a call's arguments, together with its working folder if it names one, and with the places that links in
 * its paths lead to: the same words are not the same call once they lead elsewhere.
 */
function argumentsDigest(
  { args, onRecord, meta: { cwd } }: Pick<Received, 'args' | 'meta' | 'onRecord'>,
  { claims, extraPaths }: Pick<CallFacts, 'claims' | 'extraPaths'>,
  engine: Engine,
): string {
  const places = placesElsewhere(claims, extraPaths)
  if (places.length > 0) return engine.digest(canonicalJson([args, cwd ?? null, places]))
  return cwd === undefined ? onRecord.digest : engine.digest(canonicalJson([args, cwd]))
}

/** Finds the grant for a call; calls that need no approval are not looked up. */
export function gatherGrants(
  { call, tool, reading }: CallReading,
  extraPaths: readonly ExtraPathFact[],
  rules: RuleFact | null,
  { engine, isDryRun }: Run,
): FoundGrant {
  const isOpen = rules?.decision.is === 'open' && rules.decision.consents.length > 0
  const mayBeAsked = reading.tool?.effect !== 'read' || reading.tool.requiresApproval || isOpen
  const isReadable = reading.argumentProblems.length === 0 && reading.argumentError === null
  if (tool === null || !mayBeAsked || isDryRun || !isReadable) return UNGRANTED
  return engine.grants.find(tool.name, () =>
    grantCallOf(
      tool,
      call,
      { ...reading, extraPaths },
      grantedStart(engine.grants.starts.get(call), engine),
      engine,
    ),
  )
}

/** In another folder the same command line may start another program. */
function commandOf(command: Command | null, cwd: string | undefined): Command | null {
  if (command === null || cwd === undefined) return command
  return command.kind === 'words' ? { ...command, isAltered: true } : null
}
