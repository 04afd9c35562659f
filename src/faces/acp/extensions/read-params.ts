import { isJsonObject } from '../../../core/json/value.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import { invalid } from '../explain-error.ts'

/** The parameters of a method beyond the protocol; refuses what is not as documented, and what is not known. */
export class Params {
  readonly #given: JsonObject
  readonly #known = new Set(['sessionId', '_meta'])

  constructor(given: unknown) {
    if (!isJsonObject(given)) throw invalid('The parameters must be an object.')
    this.#given = given
  }

  get session(): string {
    return this.text('sessionId')
  }

  text(name: string): string {
    return this.optionalText(name) ?? missing(name, 'a text')
  }

  optionalText(name: string): string | null {
    const value = this.#take(name)
    return value === null || typeof value === 'string' ? value : wrong(name, 'a text')
  }

  flag(name: string): boolean {
    const value = this.#take(name) ?? false
    return typeof value === 'boolean' ? value : wrong(name, 'true or false')
  }

  count(name: string): number | null {
    const value = this.#take(name)
    if (value === null) return null
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : wrong(name, 'a number from 0 on')
  }

  texts(name: string): readonly string[] | null {
    const value = this.#take(name)
    if (value === null) return null
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
    return isList ? (value as readonly string[]) : wrong(name, 'a list of texts')
  }

  object(name: string): JsonObject {
    const value = this.#take(name) ?? {}
    return isJsonObject(value) ? value : wrong(name, 'an object')
  }

  objects(name: string): readonly JsonObject[] {
    const value = this.#take(name)
    const isList = Array.isArray(value) && value.every((one) => isJsonObject(one))
    return isList ? (value as readonly JsonObject[]) : wrong(name, 'a list of objects')
  }

  /** These parameters as they are, for a reader of its own; those that are absent are left out. */
  rest(...names: readonly string[]): JsonObject {
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = this.#take(name)
        return value === null ? [] : [[name, value]]
      }),
    )
  }

  /** Refuses a parameter that no one has read: a slip in its name must not be taken for its absence. */
  end(): this {
    const unknown = Object.keys(this.#given).find((name) => !this.#known.has(name))
    if (unknown !== undefined) throw invalid(`There is no parameter ${JSON.stringify(unknown)} here.`)
    return this
  }

  #take(name: string): JsonObject[string] | null {
    this.#known.add(name)
    return (Object.hasOwn(this.#given, name) ? this.#given[name] : null) ?? null
  }
}

function wrong(name: string, expected: string): never {
  throw invalid(`${name} must be ${expected}.`)
}

function missing(name: string, expected: string): never {
  throw invalid(`${name} is missing; it must be ${expected}.`)
}
