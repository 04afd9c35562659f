import { showTokens } from '../model/catalog/context-windows.ts'
import { isCount } from '../model/catalog/list-models.ts'
import type { ListedModel } from '../model/catalog/list-models.ts'
import { readSpec } from '../model/model-spec.ts'
import type { Choice, SetupDialogs } from './setup-dialogs.ts'
import type { Access } from './ask-access.ts'

/** A model that was picked from a list, or typed. */
export interface PickedModel extends ListedModel {
  readonly isTyped: boolean
}

/** Asks for a model of a server; any other name can be typed. */
export async function pickModel(
  dialogs: SetupDialogs,
  { provider, models }: Access,
  before: readonly string[],
): Promise<PickedModel | null> {
  const other = (typed: string): PickedModel | null => {
    const name = typed.trim().replace(new RegExp(`^${provider}/`), '')
    if (!/^[^\s\p{Cc}]{1,200}$/u.test(name)) return null
    return { spec: `${provider}/${name}`, contextTokens: null, isTyped: true }
  }
  if (models.length > 0)
    return dialogs.choose<PickedModel>({
      title: 'Which model?',
      rows: before,
      choices: preferred(models, provider).map((model) => showModel({ ...model, isTyped: false })),
      other,
    })
  let rows = before
  for (;;) {
    const typed = await dialogs.type({ title: 'The name of the model', rows })
    if (typed === null || typed.trim() === '') return null
    const picked = other(typed)
    if (picked !== null) return picked
    rows = ['The name of a model has no blanks.']
  }
}

/** A model as a choice. */
export function showModel<M extends ListedModel>(model: M): Choice<M> {
  const { spec, contextTokens } = model
  return {
    label: readSpec(spec)?.name ?? spec,
    ...(contextTokens === null ? {} : { note: `${showTokens(contextTokens)} tokens` }),
    value: model,
  }
}

/** The families of each provider that are good at using tools. */
const FAMILIES: Readonly<Record<string, RegExp>> = {
  anthropic: /claude-sonnet/,
  openai: /\/gpt-5(?:\.\d+)?$/,
  google: /gemini-[\d.]+-pro(?:-preview)?$/,
}

/** The models in their order, with one that suits an agent first. */
export function preferred(models: readonly ListedModel[], provider: string): readonly ListedModel[] {
  // One provider lists its newest first; the others in no order.
  const sorted =
    provider === 'openai' || provider === 'google'
      ? models.toSorted((one, other) => other.spec.localeCompare(one.spec, 'en', { numeric: true }))
      : models
  const first = sorted.find(({ spec }) => FAMILIES[provider]?.test(spec) === true)
  return first === undefined ? sorted : [first, ...sorted.filter((model) => model !== first)]
}

/** Asks how large a context window is that nothing else tells; null leaves it unknown, and a person may go back. */
export async function askContext(
  dialogs: SetupDialogs,
  { spec, contextTokens }: PickedModel,
): Promise<number | null | 'back'> {
  if (contextTokens !== null) return null
  let rows: readonly string[] = [
    `Nothing tells how much ${spec} can read at once. If you know, older messages are shortened in time.`,
  ]
  for (;;) {
    const typed = await dialogs.type({
      title: 'Its context window in tokens, such as 32768; Enter skips this',
      rows,
    })
    if (typed === null) return 'back'
    const text = typed.trim().replaceAll(/[_,.\s]/g, '')
    if (text === '') return null
    const count = Number(/^\d{1,9}$/.test(text) ? text : Number.NaN)
    if (isCount(count)) return count
    rows = ['That is not a number of tokens.']
  }
}
