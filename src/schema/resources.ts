import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'

/** A schema with its own address: the document itself, or a part of it that has an `$id`. */
export interface Resource {
  readonly uri: string
  readonly root: JsonValue
  readonly at: string
  readonly anchors: Map<string, Spot>
  readonly dynamicAnchors: Map<string, Spot>
}

/** A schema inside the document; `at` is its JSON pointer. */
export interface Spot {
  readonly schema: JsonValue
  readonly at: string
  readonly resource: Resource
}

/** All addresses of one document. */
export interface Resources {
  readonly byUri: ReadonlyMap<string, Resource>
  readonly byRoot: ReadonlyMap<JsonValue, Resource>
  /** Whether the target of a `$dynamicRef` can depend on the path that led to it. */
  readonly isDynamic: boolean
}

type Refuse = (at: string, message: string) => void

/** A document without an address gets one, so that relative addresses in it have a base. */
const NO_ADDRESS = 'schema:///'
const MAX_NESTING = 256

/** Keywords that hold one schema. */
export const IN_ONE: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
/** Keywords that hold a list of schemas. */
export const IN_LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
/** Keywords that hold schemas by name. */
export const IN_MAP: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
])

/** The document as a resource whose anchors are not known yet. */
export function createResource(uri: string, root: JsonValue, at: string): Resource {
  return { uri, root, at, anchors: new Map(), dynamicAnchors: new Map() }
}

/** Whether a string can be an address. */
export function isAddress(text: string): boolean {
  return resolveAddress(text, NO_ADDRESS) !== null
}

/** The address of a document. */
export function addressOf(document: JsonObject): string {
  const id = Object.hasOwn(document, '$id') ? document['$id'] : undefined
  return (typeof id === 'string' ? resolveAddress(id, NO_ADDRESS) : null) ?? NO_ADDRESS
}

/** Resolves a reference against a base, without its fragment; null if it is not a valid address. */
function resolveAddress(reference: string, base: string): string | null {
  const [address = ''] = reference.split('#', 1)
  return address === '' ? base : (URL.parse(address, base)?.href ?? null)
}

/** One step of a JSON pointer, escaped. */
export function pointerStep(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Walks the whole document once and records every address and anchor in it. */
export function indexResources(main: Resource, refuse: Refuse): Resources {
  const byUri = new Map([[main.uri, main]])
  const byRoot = new Map([[main.root, main]])
  // A program can build a schema that contains the same object many times.
  const walked = new Map<Resource, Set<JsonObject>>()
  let hasDynamicRef = false
  walk(main.root, main.at, main, 0)
  return { byUri, byRoot, isDynamic: hasDynamicRef && byUri.size > 1 }

  function walk(schema: JsonValue | undefined, at: string, outer: Resource, depth: number): void {
    if (!isJsonObject(schema) || depth > MAX_NESTING) return
    const resource = enter(schema, at, outer)
    const done = walked.get(resource) ?? new Set()
    if (done.has(schema)) return
    walked.set(resource, done.add(schema))
    for (const [keyword, value] of Object.entries(schema)) {
      const here = at + pointerStep(keyword)
      if (IN_ONE.has(keyword)) walk(value, here, resource, depth + 1)
      else if (IN_LIST.has(keyword) && Array.isArray(value)) {
        for (const [index, inner] of value.entries()) walk(inner, `${here}/${index}`, resource, depth + 1)
      } else if (IN_MAP.has(keyword) && isJsonObject(value)) {
        for (const [name, inner] of Object.entries(value)) {
          walk(inner, here + pointerStep(name), resource, depth + 1)
        }
      } else if (keyword === '$anchor' || keyword === '$dynamicAnchor') {
        addAnchor(value, here, keyword === '$dynamicAnchor', { schema, at, resource })
      } else if (keyword === '$dynamicRef') hasDynamicRef = true
    }
  }

  function enter(schema: JsonObject, at: string, outer: Resource): Resource {
    const id = Object.hasOwn(schema, '$id') ? schema['$id'] : undefined
    if (typeof id !== 'string' || schema === main.root) return outer
    const uri = resolveAddress(id, outer.uri)
    if (uri === null) refuse(`${at}/$id`, 'is not a valid address')
    else if (byUri.has(uri)) {
      if (byUri.get(uri)?.root !== schema) refuse(`${at}/$id`, `gives the address ${uri} a second time`)
    } else {
      const resource = createResource(uri, schema, at)
      byUri.set(uri, resource)
      byRoot.set(schema, resource)
    }
    return byRoot.get(schema) ?? outer
  }

  function addAnchor(name: JsonValue, at: string, isDynamic: boolean, spot: Spot): void {
    if (typeof name !== 'string') return
    const { anchors, dynamicAnchors } = spot.resource
    if (anchors.has(name) && anchors.get(name)?.schema !== spot.schema) {
      refuse(at, `gives the name ${JSON.stringify(name)} a second time`)
    }
    anchors.set(name, spot)
    if (isDynamic) dynamicAnchors.set(name, spot)
  }
}

/** Follows a reference inside the document; returns a string that says why if it leads nowhere. */
export function resolveReference(reference: string, from: Resource, resources: Resources): Spot | string {
  const uri = resolveAddress(reference, from.uri)
  const resource = uri === from.uri ? from : resources.byUri.get(uri ?? '')
  if (resource === undefined) return 'points outside the document, and nothing is fetched'
  const mark = reference.indexOf('#')
  const fragment = mark === -1 ? '' : decode(reference.slice(mark + 1))
  if (fragment === null) return 'is not a valid address'
  if (fragment === '') return { schema: resource.root, at: resource.at, resource }
  if (fragment.startsWith('/')) return followPointer(fragment, resource, resources)
  return resource.anchors.get(fragment) ?? `names an anchor that does not exist`
}

function followPointer(pointer: string, start: Resource, resources: Resources): Spot | string {
  let { root: schema, at } = start
  let resource = start
  for (const step of pointer.slice(1).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const isIndex = /^(?:0|[1-9]\d*)$/.test(name)
    const inner: JsonValue | undefined = Array.isArray(schema)
      ? schema[isIndex ? Number(name) : -1]
      : isJsonObject(schema) && Object.hasOwn(schema, name)
        ? schema[name]
        : undefined
    if (inner === undefined)
      return `leads nowhere: ${at === '' ? 'the document' : at} has no ${JSON.stringify(name)}`
    schema = inner
    at += `/${step}`
    resource = resources.byRoot.get(schema) ?? resource
  }
  return typeof schema === 'boolean' || isJsonObject(schema)
    ? { schema, at, resource }
    : 'points to something that is not a schema'
}

function decode(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return null
  }
}
