import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { readKeyEntries, writeKeyEntries } from '../../host/fs/key-file.ts'

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

/** A sign-in as it is stored. */
export interface StoredSignIn {
  readonly registration: Registration
  readonly accessToken: string
  readonly refreshToken: string | null
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

/** Stores a sign-in, or removes it; returns whether there was one. The other entries stay. */
export function storeSignIn(file: string, url: string, signIn: StoredSignIn | null): boolean {
  const next = new Map(entriesOf(file))
  const names = namesFor(url)
  const hadOne = next.has(names.access)
  const values: readonly (readonly [string, string | null | undefined])[] = [
    [names.about, signIn === null ? null : JSON.stringify(signIn.registration)],
    [names.access, signIn?.accessToken],
    [names.refresh, signIn?.refreshToken],
    [names.secret, signIn?.clientSecret],
  ]
  for (const [name, value] of values)
    if (value === null || value === undefined) next.delete(name)
    else next.set(name, value)
  writeKeyEntries(file, next)
  return hadOne
}

function entriesOf(file: string): ReadonlyMap<string, string> {
  const found = readKeyEntries(file)
  if (!found.ok) throw new KeyFileError(`the key file ${file} is not used: ${found.why}`)
  return found.entries
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
