import { parseArgs } from 'node:util'
import { PROVIDERS } from '../src/model/providers.ts'

/** Where answers come from. */
export type Answers =
  | { readonly kind: 'recording' }
  | { readonly kind: 'hand'; readonly folder: string }
  | {
      readonly kind: 'provider'
      readonly provider: string
      readonly model: string
      readonly baseUrl: string
    }

export interface EvalOptions {
  /** Names of tasks; empty means all. */
  readonly only: readonly string[]
  readonly runner: string
  readonly record: boolean
  readonly answers: Answers
}

/** A mistake in the options. */
export class OptionError extends Error {}

const HAND = 'hand:'

export function readOptions(args: readonly string[]): EvalOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      runner: { type: 'string', default: 'tongs' },
      record: { type: 'boolean', default: false },
      model: { type: 'string' },
      'base-url': { type: 'string' },
    },
  })
  const answers = readAnswers(values.model, values['base-url'])
  if (values.record && answers.kind === 'provider' && answers.provider !== 'compatible')
    throw new OptionError('only answers of compatible/… can be recorded: recordings are chat completions')
  return { only: values.only, runner: values.runner, record: values.record, answers }
}

function readAnswers(spec: string | undefined, baseUrl: string | undefined): Answers {
  if (spec === undefined) return { kind: 'recording' }
  if (spec.startsWith(HAND)) return { kind: 'hand', folder: spec.slice(HAND.length) }
  const [provider = '', ...name] = spec.split('/')
  const known = new Map(Object.entries(PROVIDERS)).get(provider)
  if (known === undefined || name.length === 0)
    throw new OptionError(
      `${spec} is not a model: give ${Object.keys(PROVIDERS).join('/…, ')}/…, or hand:FOLDER`,
    )
  const url = baseUrl ?? known.baseUrl
  if (url === null) throw new OptionError(`${spec} needs --base-url`)
  return { kind: 'provider', provider, model: name.join('/'), baseUrl: url.replace(/\/$/, '') }
}
