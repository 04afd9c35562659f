import type { AutocompleteProvider } from '@earendil-works/pi-tui'
import type { AppState } from '../app-state.ts'
import type { AppPowers } from '../commands/app-command.ts'
import { APP_COMMANDS } from '../commands/command-list.ts'
import { createCompletion } from './complete.ts'
import { createPathFinder } from './find-paths.ts'

/** Completes with what there is in the session that the app has open. */
export function createAppCompletion(
  state: AppState,
  powers: AppPowers,
  stateDir: string,
): AutocompleteProvider {
  return createCompletion({
    commands: () => APP_COMMANDS,
    wordsFor: (name) => APP_COMMANDS.find((one) => one.name === name)?.complete?.(powers) ?? [],
    tools: () => state.desk.runtime.definitions(),
    paths: createPathFinder(() => ({
      root: state.desk.runtime.root,
      stateDir,
      settings: state.desk.runtime.configuration.settings,
    })),
  })
}
