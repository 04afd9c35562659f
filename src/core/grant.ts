import { findHarmlessRow } from './command/harmless/harmless-commands.ts'
import { canonicalJson } from './json/canonical.ts'
import { ownElements, ownFields } from './json/value.ts'
import type { JsonObject } from './json/value.ts'
import { showPath } from './text/display/show-path.ts'
import { toJsonLine } from './text/escape-json.ts'
import { elideMiddle } from './text/truncate.ts'

/** What calls of a tool a grant is good for. */
export type GrantScope =
  /** All its usual calls. */
  | { readonly kind: 'tool'; readonly start?: GrantedStart }
  /** Calls whose every path matches. */
  | { readonly kind: 'path'; readonly glob: string }
  /** Calls with exactly these arguments. */
  | { readonly kind: 'arguments'; readonly digest: string; readonly start?: GrantedStart }
  /** Commands that begin with exactly these words, as far as the table of harmless commands understands them. */
  | { readonly kind: 'command'; readonly words: readonly string[] }
  /** Calls that go to this origin of the web, such as `https://example.com`. */
  | { readonly kind: 'origin'; readonly origin: string }
  /** No calls at all: values that look like secrets and are none, by their keyed hashes. */
  | { readonly kind: 'values'; readonly digests: readonly string[] }

/** What the calls of a grant start: the words for people, and the digest of all that decides what runs. */
export interface GrantedStart {
  readonly digest: string
  readonly words: readonly string[]
}

/** What a scope is bound to; null if it is not bound to a start. */
export function startOf(scope: GrantScope): GrantedStart | null {
  return scope.kind === 'tool' || scope.kind === 'arguments' ? (scope.start ?? null) : null
}

/** The path that a scope is about, as a list of what is never hidden in its sentence. */
export function globOf(scope: GrantScope): readonly string[] {
  return scope.kind === 'path' ? [scope.glob] : []
}

/** Reads a scope from untrusted data; null if it is not one. */
export function readScope(value: unknown): GrantScope | null {
  if (typeof value !== 'object' || value === null) return null
  const { kind, glob, digest, words, digests, start, origin } = ownFields(value)
  const bound = start === undefined ? {} : readStart(start)
  if (kind === 'tool') return bound === null ? null : { kind, ...bound }
  if (kind === 'path') return typeof glob === 'string' ? { kind, glob } : null
  if (kind === 'arguments')
    return typeof digest === 'string' && bound !== null ? { kind, digest, ...bound } : null
  if (kind === 'origin') return typeof origin === 'string' ? { kind, origin } : null
  if (kind === 'values') return isTexts(digests) ? { kind, digests } : null
  return kind === 'command' && isTexts(words) ? { kind, words } : null
}

function readStart(start: unknown): { readonly start: GrantedStart } | null {
  if (typeof start !== 'object' || start === null) return null
  const { digest, words } = ownFields(start)
  return typeof digest === 'string' && isTexts(words) ? { start: { digest, words } } : null
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && ownElements(value).every((item) => typeof item === 'string')
}

/** An answer that is remembered: who allowed what, for how long, and how often it was relied on. */
export interface Grant {
  readonly id: string
  readonly tool: string
  readonly scope: GrantScope
  readonly sentence: string
  readonly granted_by: string
  /** Epoch milliseconds, as all its times. */
  readonly granted_at: number
  /** Null lasts until it is revoked. */
  readonly expires_at: number | null
  readonly used: number
  readonly revoked_at: number | null
  /** What tells the folder that it was given for from another one at the same path; absent if nothing does. */
  readonly folder?: string
  /** The version of the tool that it was given for; absent for tools that are part of this program. */
  readonly version?: string
  /**
   * What confined its commands when it was given, in words; absent if they were sandboxed and changed nothing but a layer.
   * It covers no command that is confined less, or otherwise.
   */
  readonly confined?: string
  /** The call that it was given for, in a line, where its scope is that call alone; from the call, without secrets. */
  readonly shows?: string
}

/** The status of a grant at a time; only a standing grant allows anything. */
export type GrantStatus = 'standing' | 'expired' | 'revoked' | 'from the future'

/** The status of a grant at a time. A grant from the future does not count: either the clock or the record is wrong. */
export function grantStatus({ revoked_at, granted_at, expires_at }: Grant, now: number): GrantStatus {
  if (revoked_at !== null) return 'revoked'
  if (granted_at > now) return 'from the future'
  return expires_at === null || expires_at > now ? 'standing' : 'expired'
}

/** Whether a grant holds at a time. */
export function isActive(grant: Grant, now: number): boolean {
  return grantStatus(grant, now) === 'standing'
}

/**
 * The text of a grant to be signed, for the root it was given for. How often it was used is left out, because that
 * changes and allows nothing.
 */
export function grantText(grant: Grant, root: string): string {
  const { used: _used, scope, ...rest } = grant
  const signed: JsonObject = { ...rest, scope: scopeAsJson(scope), root }
  return `tongs grant 1\n${canonicalJson(signed)}`
}

function scopeAsJson(scope: GrantScope): JsonObject {
  if (scope.kind !== 'tool' && scope.kind !== 'arguments') return { ...scope }
  const { start, ...rest } = scope
  return start === undefined ? rest : { ...rest, start: { ...start } }
}

/** The scope as the end of a sentence; a mark tells two from each other where nothing else does. */
function describeScope(scope: GrantScope, usual: string | null, mark = ''): string {
  switch (scope.kind) {
    case 'tool':
      return `${usual ?? 'whatever its arguments'}${describeStart(scope.start)}`
    case 'path':
      return `on paths that match ${scope.glob}`
    case 'arguments':
      return `with exactly the same arguments in the same folder${mark}${describeStart(scope.start)}`
    case 'command':
      return describePrefix(scope.words)
    case 'origin':
      return `for every address that begins with ${scope.origin}/`
    case 'values':
      return 'never'
  }
}

function describeStart(start: GrantedStart | undefined): string {
  return start === undefined ? '' : `, as long as they are started by ${describeWords(start.words)}`
}

/** A prefix that was granted before there was a table covers less than its words say, so the sentence says so. */
function describePrefix(words: readonly string[]): string {
  const command = describeWords(words)
  return findHarmlessRow(words) === null
    ? `for exactly the command ${command}, because a prefix is allowed only for commands that just look`
    : `for commands that begin with the words ${command} and go on with options that just look`
}

/** What may be sent to models although it looks like a secret. */
function describeValues(digests: readonly string[]): string {
  return digests.length === 1
    ? 'a value that is not a secret'
    : `${digests.length} values that are not secrets`
}

/** What tells a grant from others with the same words. */
function markOf({ scope, shows }: Grant): string {
  if (scope.kind === 'values') return markWith(scope.digests)
  return scope.kind === 'arguments' && shows === undefined ? markWith([scope.digest]) : ''
}

function markWith(digests: readonly string[]): string {
  return ` (${digests.map((digest) => digest.slice(0, 12)).join(', ')})`
}

/** What a grant of a scope allows, as one sentence; `usual` is what the tool says about its usual calls. */
export function describeAllowance(tool: string, scope: GrantScope, usual: string | null = null): string {
  if (scope.kind === 'values') return `Models may be sent ${describeValues(scope.digests)}.`
  return `${tool} may run without a question ${describeScope(scope, usual)}.`
}

/** One sentence that says all of it. */
export function describeGrant(grant: Grant, usual: string | null = null): string {
  const { tool, scope, granted_by, granted_at, expires_at, used, revoked_at, shows } = grant
  const isOver = revoked_at !== null
  const may = isOver ? 'could' : 'may'
  const end = isOver
    ? `until it was revoked ${time(revoked_at)}`
    : expires_at === null
      ? 'until it is revoked'
      : `until ${time(expires_at)}`
  const uses =
    used === 0 ? (isOver ? 'never used' : 'not used yet') : used === 1 ? 'used once' : `used ${used} times`
  const what =
    scope.kind === 'values'
      ? `Models ${may} be sent ${describeValues(scope.digests)}${markOf(grant)}`
      : `${tool} ${may} run without a question ${describeScope(scope, usual, markOf(grant))}${shows === undefined ? '' : `, as in ${toJsonLine(shows)}`}`
  return `${what}, ${end}; granted by ${granted_by} ${time(granted_at)}, ${uses}.`
}

const SHOWN_CHARS = 200

/** Words as a line, shortened in the middle. */
export function describeWords(words: readonly string[]): string {
  return elideMiddle(words.map((word) => (word === '' ? '""' : showPath(word))).join(' '), SHOWN_CHARS)
}

/** Beyond what a date can say, the number has to do. */
function time(at: number): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at)
}
