import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { changeKeyEntries, readKeyEntries } from '../../host/fs/key-file.ts'

/** Where the tokens of a server come from; fixed when the user signed in, so that the server cannot name another place. */
export interface Registration {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly authMethods: readonly string[]
  readonly clientId: string
  readonly clientMethod: string | null
  readonly resource: string | null
  /** What was asked for. */
  readonly scope: string | null
}

/** The tokens that a server issued. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string | null
}

/** A sign-in as it is stored. */
export interface StoredSignIn extends IssuedTokens {
  readonly registration: Registration
  readonly clientSecret: string | null
}

/** The user's key file cannot be used. */
export class KeyFileError extends Error {}

/** Entries of servers begin so; what follows is the address, so that a token is never sent to another one. */
export const SIGN_IN_PREFIX = 'mcp '

/** Each secret is an entry of its own: every value of the file is redacted wherever it occurs. */
function namesFor(url: string) {
  const name = `${SIGN_IN_PREFIX}${new URL(url).href}`
  return { about: name, access: `${name} access`, refresh: `${name} refresh`, secret: `${name} secret` }
}

/** The sign-in at an address; null if there is none. */
export function readSignIn(file: string, url: string): StoredSignIn | null {
  const entries = entriesOf(file)
  const names = namesFor(url)
  const registration = readRegistration(parseJson(entries.get(names.about) ?? 'null'))
  const accessToken = entries.get(names.access)
  if (registration === null || accessToken === undefined) return null
  return {
    registration,
    accessToken,
    refreshToken: entries.get(names.refresh) ?? null,
    clientSecret: entries.get(names.secret) ?? null,
  }
}

/** More than any server needs; it is sent with each request. */
const MOST_SECRET_CHARS = 16_384
/** What a header can carry. */
const SENDABLE = /^[\x21-\x7e]+$/

/** Stores what a server wants at the next sign-in; the tokens stay, which another process may have renewed meanwhile. */
export function storeRegistration(file: string, url: string, registration: Registration): void {
  const { about, access } = namesFor(url)
  const found = changeKeyEntries(file, (entries) =>
    entries.has(access) ? new Map([[about, JSON.stringify(registration)]]) : new Map(),
  )
  if (!found.ok) throw unused(file, found.why)
}

/** Stores a sign-in, or removes it; returns whether there was one. The other entries stay. */
export function storeSignIn(file: string, url: string, signIn: StoredSignIn | null): boolean {
  const names = namesFor(url)
  const { accessToken = null, refreshToken = null, clientSecret = null } = signIn ?? {}
  const about = signIn === null ? null : JSON.stringify(signIn.registration)
  const values: ReadonlyMap<string, string | null> = new Map([
    [names.about, about],
    [names.access, accessToken],
    [names.refresh, refreshToken],
    [names.secret, clientSecret],
  ])
  checkGiven(accessToken, values.values())
  const found = changeKeyEntries(file, () => values)
  if (!found.ok) throw unused(file, found.why)
  return found.entries.has(names.access)
}

/** Stores tokens in the place of those that belong to a refresh token; nothing if others are stored, or none any more. */
export function storeTokens(
  file: string,
  url: string,
  { instead, issued }: { readonly instead: string; readonly issued: IssuedTokens },
): void {
  const names = namesFor(url)
  const { accessToken, refreshToken } = issued
  checkGiven(accessToken, [accessToken, refreshToken])
  const found = changeKeyEntries(file, (entries) =>
    entries.get(names.refresh) === instead
      ? new Map([
          [names.access, accessToken],
          [names.refresh, refreshToken],
        ])
      : new Map(),
  )
  if (!found.ok) throw unused(file, found.why)
}

function checkGiven(accessToken: string | null, values: Iterable<string | null>): void {
  // The error of the one who sends it would quote it.
  if (accessToken !== null && !SENDABLE.test(accessToken))
    throw new Error('the token it gave has characters that no token has')
  for (const value of values)
    if (value !== null && value.length > MOST_SECRET_CHARS)
      throw new Error(`it gave more than ${MOST_SECRET_CHARS} characters to store`)
}

function entriesOf(file: string): ReadonlyMap<string, string> {
  const found = readKeyEntries(file)
  if (!found.ok) throw unused(file, found.why)
  return found.entries
}

function unused(file: string, why: string): KeyFileError {
  return new KeyFileError(`the key file ${file} is not used: ${why}`)
}

function readRegistration(value: unknown): Registration | null {
  if (!isJsonObject(value)) return null
  const [issuer, tokenEndpoint, clientId] = [
    textAt(value, 'issuer'),
    textAt(value, 'tokenEndpoint'),
    textAt(value, 'clientId'),
  ]
  if (issuer === null || tokenEndpoint === null || clientId === null) return null
  const methods = value['authMethods']
  return {
    issuer,
    tokenEndpoint,
    clientId,
    authMethods: Array.isArray(methods) ? methods.filter((one) => typeof one === 'string') : [],
    clientMethod: textAt(value, 'clientMethod'),
    resource: textAt(value, 'resource'),
    scope: textAt(value, 'scope'),
  }
}

function textAt(object: JsonObject, name: string): string | null {
  const text = object[name]
  return typeof text === 'string' ? text : null
}
