import { isPresetName, PRESET_NAMES, PRESETS } from '../../../config/presets.ts'
import { NOTHING_HELD, readToolLine } from '../../../agent/loop/held-calls.ts'
import { USUAL_MODELS } from '../../../model/open-model.ts'
import type { AppSession } from '../app-session.ts'
import { sessionNames } from './app-command.ts'
import type { AppCommand, AppPowers } from './app-command.ts'

/** Commands that change the model, the preset or the session. */
export const sessionCommands: readonly AppCommand[] = [
  {
    name: 'model',
    words: '[MODEL|none]',
    says: 'choose a model from a list, or name one: anthropic/…, openai/…, google/…, compatible/…, script:FILE',
    run: (rest, app) => changeModel(rest.trim(), app),
    // The list of models knows which keys there are; a key press is no time to look for them.
    complete: () => ['none', ...Object.values(USUAL_MODELS), 'script:'],
  },
  {
    name: 'setup',
    words: '',
    says: 'set up a provider: a key, or a server on this machine, and a model',
    run: async (_rest, app) => void (await app.setUp(null)),
  },
  {
    name: 'preset',
    words: '[NAME]',
    says: 'show or change how much may happen without asking; Shift-Tab switches to the next',
    run: (rest, app) => changePreset(rest.trim(), app),
    complete: () => PRESET_NAMES,
  },
  {
    name: 'session',
    words: '[NAME]',
    says: 'list the sessions of this folder, or open one, new or old',
    run: (rest, app) => changeSession(rest.trim(), app),
    complete: sessionNames,
  },
  {
    name: 'tool',
    words: 'ID RESULT | error ID TEXT',
    says: 'supply the result of a call that was held for you',
    run: (rest, app) => answerTool(rest, app),
    complete: (app) => (app.session().conversation?.held() ?? []).map(({ id }) => id),
  },
  {
    name: 'pending',
    words: '',
    says: 'list the calls that are waiting for approval',
    run: (_rest, app) => app.askPending(),
  },
  {
    name: 'recover',
    words: '',
    says: 'resume or discard what an interruption left',
    run: (_rest, app) => recover(app),
  },
  {
    name: 'clear',
    words: '',
    says: 'clear the screen except for running calls; the log keeps everything',
    run: (_rest, app) => app.clear(),
  },
  {
    name: 'quit',
    words: '',
    says: 'leave, after the commit in progress',
    run: (_rest, app) => app.quit(),
  },
]

async function changeModel(spec: string, app: AppPowers): Promise<void> {
  const session = app.session()
  if (spec !== '') {
    if (!session.checkIdle()) return
    await session.useModel(spec === 'none' ? null : spec)
    session.say('plain', describeModel(session))
    return
  }
  if (!session.checkIdle()) return
  const inUse = session.conversation?.model()
  const { chooseModel } = await import('../choose-model.ts')
  const picked = await chooseModel(app.dialogs, session.runtime, {
    spec: inUse?.id ?? null,
    baseUrl: inUse?.baseUrl ?? null,
  })
  if (picked === 'setup') return void (await app.setUp(null))
  if (picked === 'none') await session.useModel(null)
  else if (picked !== null) await session.useModel(picked.spec, picked)
  session.say('plain', describeModel(session))
}

function describeModel({ conversation }: AppSession): string {
  return conversation === null ? 'No model.' : `The model is ${conversation.model().id}.`
}

async function changePreset(name: string, app: AppPowers): Promise<void> {
  if (isPresetName(name)) return app.reopen(() => ({ preset: name }))
  const rows = PRESET_NAMES.map((one) => `${one}\t${PRESETS[one].says}`)
  app
    .session()
    .say(
      name === '' ? 'plain' : 'trouble',
      [...(name === '' ? [] : [`There is no preset ${name}.`]), ...rows].join('\n'),
    )
}

async function changeSession(name: string, app: AppPowers): Promise<void> {
  const session = app.session()
  if (name !== '') return app.reopen(() => ({ session: name }))
  const rows = session.runtime.sessions().map(({ name: one, lastAt, entries }) => {
    const mark = one === session.request.session ? '*' : ' '
    return `${mark} ${one}\t${new Date(lastAt).toLocaleString()}, ${entries} entries`
  })
  session.say(
    'plain',
    rows.length === 0
      ? 'No session has been written to yet.'
      : [...rows, '/session NAME opens one, new or old.'].join('\n'),
  )
}

async function recover(app: AppPowers): Promise<void> {
  if (!app.session().checkIdle()) return
  if ((await app.decideInterruption()) === null) app.session().say('plain', 'Nothing was interrupted.')
}

async function answerTool(rest: string, app: AppPowers): Promise<void> {
  const session = app.session()
  if (!session.checkIdle()) return
  if (!session.hasHeld()) {
    session.say('trouble', NOTHING_HELD)
    return
  }
  const line = readToolLine(`/tool ${rest}`)
  if (line === null) {
    session.say('trouble', 'Use /tool ID RESULT, or /tool error ID TEXT.')
    return
  }
  const report = session.answerTool(line.id, line.answer)
  if (!report.ok) {
    session.say('trouble', report.message)
    return
  }
  session.say('plain', `${report.received} of ${report.expected} results received.`)
  if (report.received === report.expected) await session.send(null)
}
