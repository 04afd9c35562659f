import { existsSync, rmSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openConversationLog } from '../../../src/agent/log/conversation-log.ts'
import { findPreset } from '../../../src/config/presets.ts'
import { createSessionControl } from '../../../src/faces/tui/session-control.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'
import type { AppState } from '../../../src/faces/tui/app-state.ts'
import type { AppPowers } from '../../../src/faces/tui/commands/app-command.ts'
import { runCommand } from '../../../src/faces/tui/commands/command-list.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import { openSession } from '../../../src/faces/tui/open-session.ts'
import type { Dialogs } from '../../../src/faces/tui/sheets/dialogs.ts'
import { callsOf } from '../../../src/faces/tui/view/view.ts'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import type { RecoveryChoice } from '../../../src/pipeline/after/recover.ts'
import { batchOf, content } from '../../journal/sample-entries.ts'
import { testSession } from './test-session.ts'
import type { ScriptTurn } from './test-session.ts'

let states: AppState[] = []

afterEach(async () => {
  for (const { session } of states) await session.close()
  states = []
})

/** An app without a screen; whoever is asked about an interruption leaves it, unless told otherwise. */
async function openApp(
  turns: readonly ScriptTurn[] | null = null,
  given: Readonly<Record<string, unknown>> = {},
  decided: RecoveryChoice | null = null,
) {
  const t = await testSession(turns, { given })
  const state = freshState(t.session)
  states.push(state)
  const ask: Dialogs = {
    approval: async () => 'later',
    setup: { choose: async () => null, type: async () => null, during: async () => null },
    confirmation: async () => false,
    recovery: async () => decided,
  }
  const session = createSessionControl(state, t.opening, t.hooks, ask)
  const powers: AppPowers = {
    ...session,
    session: () => state.session,
    dialogs: ask.setup,
    confirm: ask.confirmation,
    prefill: () => undefined,
    copy: () => null,
    showCall: () => undefined,
    clear: () => undefined,
    toggleTasks: () => undefined,
    chosenCall: () => null,
    quit: () => undefined,
  }
  const submit = createSubmit(state, powers, { addToHistory: () => undefined })
  const notices = () =>
    state.session.view().blocks.flatMap((block) => (block.kind === 'notice' ? [block.text] : []))
  const names = () => callsOf(state.session.view()).map(({ name }) => name)
  return { state, session, powers, submit, notices, names }
}

/** Leaves a call behind as a process does that was killed while its message came in. */
async function interrupt({ session }: AppState): Promise<void> {
  const source = await session.runtime.converse(session.request.session)
  openConversationLog(source).streamCall('t', { id: 'c1', name: 'read_file', argsText: '{}' })
}

/** Leaves a batch behind, as a process does that was killed before its call began. */
async function leaveBehind({ session }: AppState, origin: 'model' | 'person'): Promise<void> {
  const source = await session.runtime.converse(session.request.session)
  const { bytes, digest } = content('args 1')
  const entries = [{ ...batchOf('b', [1]), origin }]
  source.log.append({ entries, payloads: [[digest, bytes]], reliance: 'recorded' })
  session.catchUp()
}

describe('an interruption that nobody has decided about', () => {
  it('keeps its session from running anything, and no other', async () => {
    const { state, session, submit, notices, names } = await openApp()
    await interrupt(state)
    await session.welcome()
    await submit('glob patterns=["*"]')
    expect(names()).not.toContain('glob')
    expect(notices().at(-1)).toMatch(/still undecided/)
    await session.reopen(() => ({ session: 'other' }))
    await submit('glob patterns=["*"]')
    expect(names()).toEqual(['glob'])
  })

  it('that was decided elsewhere keeps nothing back', async () => {
    const { state, session, submit, names } = await openApp()
    await interrupt(state)
    await session.welcome()
    expect(state.isUndecided).toBe(true)
    await state.session.runtime.recover({ session: 's', choice: 'discard' })
    await submit('glob patterns=["*"]')
    expect(names()).toContain('glob')
  })
})

it('what is sent while an interruption is looked for is not taken for one', async () => {
  const { state, session, submit, names } = await openApp()
  const looked = session.welcome()
  await submit('glob patterns=["*"]')
  await looked
  expect(state.isUndecided).toBe(false)
  expect(callsOf(state.session.view()).map(({ progress }) => progress)).toEqual(['done'])
  expect(names()).toEqual(['glob'])
})

it('a command that is sent as soon as the result is shown waits for the end of the work', async () => {
  const { state, submit, notices, names } = await openApp()
  const { promise, resolve } = Promise.withResolvers<void>()
  await submit('glob patterns=["*"]')
  const work = state.session.work(() => promise)
  const sent = submit('/undo')
  resolve()
  await Promise.all([work, sent])
  expect(names()).toEqual(['glob'])
  expect(notices()).toEqual([expect.stringMatching(/nothing/i)])
})

describe('an interruption that is resumed', () => {
  it.each([
    ['a call of the model', 'model', ['answered']],
    ['a call that was typed', 'person', []],
  ] as const)('goes on with the turn of %s, if there is one', async (_, origin, answers) => {
    const { state, session } = await openApp([{ text: 'answered' }], {}, 'resume')
    await leaveBehind(state, origin)
    await session.welcome()
    const { blocks } = state.session.view()
    expect(blocks.flatMap((block) => (block.kind === 'answer' ? [block.text] : []))).toEqual(answers)
    expect(blocks.filter(({ kind }) => kind === 'notice')).toEqual([])
  })
})

describe('what a session works with', () => {
  it('presets that are asked for faster than they open follow each other', async () => {
    const { state, session } = await openApp()
    const opened: (string | null)[] = []
    const next = (preset: string) =>
      session.reopen(({ runtime }) => {
        opened.push(findPreset(runtime.configuration.settings))
        return { preset }
      })
    await Promise.all([next('plan'), next('edits'), next('auto')])
    expect(opened.slice(1)).toEqual(['plan', 'edits'])
    expect(findPreset(state.session.runtime.configuration.settings)).toBe('auto')
  })

  it.for([
    ['at once', 0],
    ['a moment later', 1],
  ] as const)('a line that is sent %s after a preset is taken up once that is there', async ([, turns]) => {
    const { state, session, submit, notices, names } = await openApp()
    const opened = session.reopen(() => ({ preset: 'edits' }))
    if (turns > 0) await new Promise((resolve) => setImmediate(resolve))
    await submit('run_shell cmd=["sh","-c","sleep 0.6"]')
    await opened
    expect(notices()).toEqual([])
    expect(names()).toEqual(['run_shell'])
    expect(findPreset(state.session.runtime.configuration.settings)).toBe('edits')
    expect(callsOf(state.session.view()).map(({ progress }) => progress)).toEqual(['done'])
  })

  it('a model that cannot be had leaves the one there is, and one that can takes its place', async () => {
    const { state, submit, notices } = await openApp([{ text: 'Hello.' }])
    const before = state.session.conversation?.model().id
    await submit('/model nonsense')
    expect(notices().at(-1)).toMatch(/"nonsense" is not a model/)
    expect(state.session.conversation?.model().id).toBe(before)
    await submit('/model none')
    expect([state.session.conversation, state.session.request.model]).toEqual([null, null])
    await submit(`/model ${before ?? ''}`)
    expect(state.session.conversation?.model().id).toBe(before)
    expect(notices().slice(1)).toEqual(['No model.', `The model is ${before}.`])
  })

  it('words that are sent while a model opens are said to it', async () => {
    const { state, submit } = await openApp([{ text: 'Hello.' }])
    const model = state.session.conversation?.model().id ?? ''
    await submit('/model none')
    await Promise.all([submit(`/model ${model}`), submit('good morning')])
    const said = state.session.view().blocks.flatMap((block) => ('turn' in block ? [block.kind] : []))
    expect(said).toEqual(['said', 'answer'])
  })

  it('a command that prints a key is stopped by cancelling, and while a session is being opened', async () => {
    const begun = makeScratch().at('begun')
    const { state, session, notices } = await openApp([{ text: 'Hello.' }], {
      'model.name': 'compatible/one',
      'model.base_url': 'http://127.0.0.1:9/v1',
      'model.key_command': ['sh', '-c', 'echo > "$0"; exec sleep 600', begun],
    })
    const isBegun = async (): Promise<void> => {
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: PATIENCE_MS })
      rmSync(begun)
    }
    const used = state.session.useModel('compatible/one')
    await isBegun()
    expect(state.session.cancel()).toBe(true)
    await expect(used).rejects.toThrow(/model\.key_command was stopped/)
    expect(state.session.conversation?.model().id).toMatch(/^script:/)

    const reopened = session.reopen(() => ({ model: 'compatible/one' }))
    await isBegun()
    state.stopWaiting?.()
    await reopened
    expect(notices()).toEqual([expect.stringMatching(/model\.key_command was stopped/)])
    expect([state.session.conversation, state.stopWaiting]).toEqual([null, null])
  })

  it('an address that was given for one provider is not that of another, so no key goes there', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'not-a-key')
    const baseUrl = 'http://127.0.0.1:9/v1'
    const t = await testSession(null)
    await t.session.close()
    const opening = { ...t.opening, model: 'compatible/one', baseUrl }
    const wish = { session: 's', preset: null, model: opening.model }
    const state = freshState(await openSession(opening, wish, t.hooks))
    states.push(state)
    const reached = () => state.session.conversation?.model().baseUrl
    expect(reached()).toBe(baseUrl)
    await state.session.useModel('openai/other')
    expect(state.session.conversation?.model().id).toBe('openai/other')
    expect(reached()).toBeUndefined()
    await state.session.useModel('compatible/two')
    expect(reached()).toBe(baseUrl)
    vi.unstubAllEnvs()
  })

  it('/recover says so where nothing was interrupted', async () => {
    const { powers, notices } = await openApp()
    await runCommand('/recover', powers)
    expect(notices()).toEqual(['Nothing was interrupted.'])
  })

  it.for([['/log abc'], ['/log -3'], ['/grants revoke'], ['/grants nonsense']])(
    '%s is answered with how the command is written',
    async ([line = '']) => {
      const { powers, notices } = await openApp()
      await runCommand(line, powers)
      expect(notices()).toEqual([expect.stringMatching(/^Use \//)])
    },
  )
})
