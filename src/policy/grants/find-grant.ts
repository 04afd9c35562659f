import { compileCover, prepareCall } from './cover.ts'
import type { Cover, GrantCall, PreparedCall } from './cover.ts'
import { isActive } from '../../core/grant.ts'
import type { Grant, GrantScope } from '../../core/grant.ts'

interface Compiled {
  readonly grant: Grant
  readonly covers: Cover
}

/** The grants of one tool. */
interface ToolGrants {
  /** Those for exact arguments, by their digest. */
  readonly exact: Map<string, Compiled[]>
  /** All others, by a key of the calls they could cover, so that only those are checked. */
  readonly wider: Map<string, Compiled[]>
}

/** Grants by tool. */
export type GrantIndex = ReadonlyMap<string, ToolGrants>

const NARROWNESS: Readonly<Record<GrantScope['kind'], number>> = {
  arguments: 0,
  command: 1,
  origin: 2,
  path: 3,
  tool: 4,
  values: 5,
}

/** Indexes grants for lookup; the narrowest comes first, and the oldest among equals. */
export function indexGrants(grants: Iterable<Grant>): GrantIndex {
  const sorted = [...grants].toSorted(
    (one, other) =>
      NARROWNESS[one.scope.kind] - NARROWNESS[other.scope.kind] ||
      one.granted_at - other.granted_at ||
      (one.id < other.id ? -1 : 1),
  )
  const index = new Map<string, ToolGrants>()
  for (const grant of sorted) {
    const ofTool = index.get(grant.tool) ?? { exact: new Map(), wider: new Map() }
    index.set(grant.tool, ofTool)
    const { scope } = grant
    const isExact = scope.kind === 'arguments'
    const alike = isExact ? ofTool.exact : ofTool.wider
    const key = isExact ? scope.digest : keyOfScope(scope)
    const ofKey = alike.get(key) ?? []
    ofKey.push({ grant, covers: compileCover(scope) })
    alike.set(key, ofKey)
  }
  return index
}

/** The narrowest standing grant that covers this exact call, or null. */
export function grantFor(index: GrantIndex, call: GrantCall, now: number): Grant | null {
  const ofTool = index.get(call.tool)
  if (ofTool === undefined) return null
  // The same name of a tool that was replaced is another tool.
  const holds = (grant: Grant): boolean =>
    isActive(grant, now) && grant.version === call.version && isConfinedAlike(grant, call)
  const alike = ofTool.exact.get(call.argsDigest)
  if (alike === undefined && ofTool.wider.size === 0) return null
  const prepared = prepareCall(call)
  const exact = alike?.find(({ grant, covers }) => holds(grant) && covers(prepared))
  if (exact !== undefined) return exact.grant
  for (const key of keysOfCall(prepared)) {
    const found = ofTool.wider.get(key)?.find(({ grant, covers }) => holds(grant) && covers(prepared))
    if (found !== undefined) return found.grant
  }
  return null
}

/** A grant that was given for a command in the sandbox says nothing about one that nothing confines. */
function isConfinedAlike(grant: Grant, { confined }: GrantCall): boolean {
  return confined === undefined || confined === grant.confined
}

/** The narrowest standing grant that would cover a call but for what confines its command; null if there is none. */
export function grantOfOtherConfinement(index: GrantIndex, call: GrantCall, now: number): Grant | null {
  const { confined, ...rest } = call
  return confined === undefined ? null : grantFor(index, rest, now)
}

/**
 * The newest standing grant for these arguments or the whole tool that does not cover this call only because it was given
 * for another start; null if there is none.
 */
export function grantOfOtherStart(index: GrantIndex, call: GrantCall, now: number): Grant | null {
  const { usual, isBeyond } = call
  if (usual?.start === undefined) return null
  const ofTool = index.get(call.tool)
  const isUsual = usual.isIncluded && isBeyond !== true
  const alike = [
    ...(isUsual ? (ofTool?.wider.get('tool') ?? []) : []),
    ...(ofTool?.exact.get(call.argsDigest) ?? []),
  ]
  return alike.findLast(({ grant }) => isActive(grant, now))?.grant ?? null
}

const WILD = /[*?[\]{}\\]/

function keyOfScope(scope: Exclude<GrantScope, { readonly kind: 'arguments' }>): string {
  switch (scope.kind) {
    case 'tool':
      return 'tool'
    case 'values':
      return 'values'
    case 'origin':
      return `origin ${scope.origin}`
    case 'command':
      return commandKey(scope.words.slice(0, 2))
    case 'path': {
      const first = firstName(scope.glob)
      return WILD.test(first) || first === '' ? 'path' : `path ${first}`
    }
  }
}

/** From narrow to wide, in the order they are sorted. */
function keysOfCall(call: PreparedCall): readonly string[] {
  const first = firstName(call.paths[0] ?? '')
  const commands =
    call.words === null ? [] : [commandKey(call.words.slice(0, 2)), commandKey(call.words.slice(0, 1))]
  const origins = call.origin === undefined ? [] : [`origin ${call.origin}`]
  return [...commands, ...origins, `path ${first}`, 'path', 'tool']
}

/** A key for the first words; different words give different keys. */
function commandKey(words: readonly string[]): string {
  return `command ${JSON.stringify(words)}`
}

function firstName(path: string): string {
  return path.split('/').find((name) => name !== '' && name !== '.') ?? ''
}
