import type { JsonValue } from '../../core/json/value.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { compileInside, pointerTo, readEntries, readNames, refuseForm, valueOf } from '../keyword.ts'
import type { Given, Keyword } from '../keyword.ts'
import { quote } from '../problem.ts'
import { isAddress } from '../resources.ts'

/** The only supported dialect. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const checkDialect: Keyword = (given, keyword) => {
  const value = valueOf(given, keyword)
  if (value === DIALECT || value === `${DIALECT}#`) return null
  return given.build.refuse(pointerTo(given, keyword), `must be ${DIALECT}, not ${quote(value)}`)
}

const checkId: Keyword = (given, keyword) => {
  const value = valueOf(given, keyword)
  if (typeof value !== 'string') return refuseForm(given, keyword, 'a string')
  if (!/^[^#]*#?$/.test(value))
    return given.build.refuse(pointerTo(given, keyword), 'must not have a fragment')
  if (!isAddress(value)) return given.build.refuse(pointerTo(given, keyword), 'is not a valid address')
  given.build.resources()
  return null
}

const checkAnchor: Keyword = (given, keyword) => {
  const value = valueOf(given, keyword)
  if (typeof value !== 'string') return refuseForm(given, keyword, 'a string')
  if (!/^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)) {
    return given.build.refuse(
      pointerTo(given, keyword),
      'must be a letter or _, then letters, digits and - . _',
    )
  }
  given.build.resources()
  return null
}

/** Schemas that others refer to; they must be valid even if no reference uses them. */
const checkDefinitions: Keyword = (given, keyword) => {
  for (const [name, schema] of readEntries(given, keyword)) {
    given.build.targetAt({ schema, at: pointerTo(given, keyword, name), resource: given.resource })
  }
  return null
}

const checkInnerSchema: Keyword = (given, keyword) => {
  compileInside(given, valueOf(given, keyword) ?? null, keyword)
  return null
}

/** A keyword of older drafts that the dialect still describes but no longer applies. */
const checkDependencies: Keyword = (given, keyword) => {
  for (const [name, value] of readEntries(given, keyword)) {
    if (Array.isArray(value)) readNames(given, value, keyword, name)
    else compileInside(given, value, keyword, name)
  }
  return null
}

function checkForm(form: string, isRight: (value: JsonValue) => boolean): Keyword {
  return (given: Given, keyword) => {
    const value = valueOf(given, keyword)
    return value === undefined || isRight(value) ? null : refuseForm(given, keyword, form)
  }
}

const mustBeString = checkForm('a string', (value) => typeof value === 'string')
const mustBeBoolean = checkForm('a boolean', (value) => typeof value === 'boolean')

/** Keywords that describe the schema and do not check the value. */
export const DOCUMENT_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['$schema', checkDialect],
  ['$id', checkId],
  ['$anchor', checkAnchor],
  ['$dynamicAnchor', checkAnchor],
  ['$defs', checkDefinitions],
  ['definitions', checkDefinitions],
  ['dependencies', checkDependencies],
  ['contentSchema', checkInnerSchema],
  ['$vocabulary', checkForm('an object of booleans', isVocabulary)],
  ['$comment', mustBeString],
  ['title', mustBeString],
  ['description', mustBeString],
  ['format', mustBeString],
  ['contentEncoding', mustBeString],
  ['contentMediaType', mustBeString],
  ['deprecated', mustBeBoolean],
  ['readOnly', mustBeBoolean],
  ['writeOnly', mustBeBoolean],
  ['examples', checkForm('an array', (value) => Array.isArray(value))],
]

function isVocabulary(value: JsonValue): boolean {
  return isJsonObject(value) && Object.values(value).every((use) => typeof use === 'boolean')
}
