import { proposeModels } from '../../model/propose-model.ts'

/** Which models could be used, by the keys there are; their values are never shown. */
export function describeProposals(env: Readonly<Record<string, string | undefined>>): string {
  const found = proposeModels(env)
  return found.length === 0
    ? 'No keys of model providers were found in the environment.'
    : `By the keys that are set, try /model ${found.join(' or ')}.`
}
