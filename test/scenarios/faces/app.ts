import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolResult } from '../../../src/core/result.ts'
import { openAppState } from '../../../src/faces/tui/open-app-state.ts'
import type { AppPowers } from '../../../src/faces/tui/commands/app-command.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import { createSessionControl } from '../../../src/faces/tui/session-control.ts'
import type { Dialogs } from '../../../src/faces/tui/sheets/dialogs.ts'
import { callsOf } from '../../../src/faces/tui/view/view.ts'
import type { RecoveryChoice } from '../../../src/pipeline/after/recover.ts'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import type { AppOpening } from '../../../src/terminal/app-opening.ts'
import type { Face } from '../face.ts'
import { labelCalls } from '../label-calls.ts'
import type { Person } from '../person.ts'
import type { Place } from '../place.ts'
import type { Scenario } from '../scenario.ts'

/** The app with a scripted model: what is typed, its dialogs, its commands and its view. Only keys and drawing are left out. */
export const app: Face = appThat(null)

/** The same, with what its person decides about an interruption. */
export function appThat(recovery: RecoveryChoice | null): Face {
  return {
    name: 'app',
    hasBatches: true,
    origin: 'model',
    async open(place, scenario) {
      let person: Person | null = null
      const dialogs: Dialogs = {
        async approval(requests) {
          if (person === null) throw new Error('a question came before any call')
          const { isLater, answer } = person
          return isLater ? 'later' : requests.map((request) => answer(request))
        },
        setup: { choose: async () => null, type: async () => null, during: async () => null },
        confirmation: async () => true,
        recovery: async () => recovery,
      }
      const opening = openingFor(place, scenario)
      const { state, hooks } = await openAppState(opening, dialogs, () => undefined)
      const control = createSessionControl(state, opening, hooks, dialogs)
      const powers: AppPowers = {
        ...control,
        session: () => state.session,
        dialogs: dialogs.setup,
        confirm: dialogs.confirmation,
        prefill: () => undefined,
        copy: () => null,
        showCall: () => undefined,
        clear: () => undefined,
        toggleTasks: () => undefined,
        chosenCall: () => null,
        quit: () => undefined,
      }
      const submit = createSubmit(state, powers, { addToHistory: () => undefined })
      await control.welcome()

      const resultsFrom = (first: number): readonly (ToolResult | null)[] =>
        callsOf(state.session.view())
          .slice(first)
          .map(({ result }) => result)
      /** What the app says while something is typed, so that a complaint is not missed. */
      const type = async (line: string): Promise<void> => {
        const before = state.session.view().blocks.length
        await submit(line)
        for (const block of state.session.view().blocks.slice(before))
          if (block.kind === 'notice' && block.tone === 'trouble') throw new Error(block.text)
      }
      let lastBatch = 0
      return {
        async run(_calls, how) {
          person = how.person
          lastBatch = callsOf(state.session.view()).length
          how.cancel?.addEventListener('abort', () => state.session.cancel(), { once: true })
          await type('go on')
          return resultsFrom(lastBatch)
        },
        async answer(given) {
          person = given
          await type('/pending')
          return resultsFrom(lastBatch)
        },
        undo: ({ last, isTurn }) =>
          type(isTurn === true ? '/undo --turn --yes' : `/undo --last ${last ?? 1} --yes`),
        redo: () => type('/redo --yes'),
        close: () => state.session.close(),
      }
    },
  }
}

/** What the command line passes on, with a model that makes the calls of the scenario. */
function openingFor({ top, root, stateDir, env }: Place, { steps, preset }: Scenario): AppOpening {
  const script = join(top, 'script.json')
  const turns = steps.flatMap((step) =>
    step.do === 'calls' ? [{ text: 'Now.', calls: labelCalls(step.calls) }, { text: 'Done.' }] : [],
  )
  writeFileSync(script, JSON.stringify({ turns }))
  return {
    root,
    stateDir,
    session: 's',
    isContinuing: false,
    actor: 'ada',
    isAgreeing: false,
    model: `script:${script}`,
    baseUrl: null,
    protocol: 'auto',
    limits: {},
    preset: preset ?? null,
    load: (own) => loadConfiguration({ root, stateDir, env, isPersonal: true, preset: own ?? undefined }),
  }
}
