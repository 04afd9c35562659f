import { plainLine } from '../draw/canvas.ts'
import type { AppCommand, AppPowers } from './app-command.ts'
import { describeNotes } from '../../../agent/context/describe-notes.ts'
import { showPath } from '../../../core/text/display/show-path.ts'
import { backgroundCommand } from './background-command.ts'
import { callsOf } from '../view/view.ts'
import { describeCompaction } from '../../../journal/entries/conversation-entry.ts'
import type { StoredEntry } from '../../../journal/entries/entry.ts'
import type { SessionReader } from '../../../journal/log.ts'
import { summaryOf } from '../../../pipeline/approve/offer.ts'
import { nameChanges } from '../../../journal/folds/net-changes.ts'
import { readCount } from './app-command.ts'
import { resultCommands } from './result-commands.ts'

const USUAL_ROWS = 30

/** Commands that only show something. */
export const showCommands: readonly AppCommand[] = [
  {
    name: 'tools',
    words: '[NAME]',
    says: 'list the tools, or show one with its arguments',
    run: (rest, app) => showTools(rest.trim(), app),
    complete: (app) => toolNames(app),
  },
  {
    name: 'rules',
    words: '',
    says: 'list the rules in force, each as a sentence',
    run: (_rest, app) => {
      const rows = app
        .session()
        .runtime.rules()
        .map(({ sentence }) => sentence)
      app.session().say('plain', rows.length === 0 ? 'No rules are configured.' : rows.join('\n'))
    },
  },
  {
    name: 'context',
    words: '',
    says: 'show how much of the context window and the budget is used',
    run: (_rest, app) => showContext(app),
  },
  {
    name: 'skills',
    words: '',
    says: 'list the skills, and what cannot be used as one',
    run: (_rest, app) => showSkills(app),
  },
  backgroundCommand,
  {
    name: 'tasks',
    words: '',
    says: 'show or hide the tasks',
    run: (_rest, app) => app.toggleTasks(),
  },
  {
    name: 'why',
    words: '[CALL]',
    says: 'explain which gate decided a call, and why; by default the selected or the last one',
    run: (rest, app) => explain(rest.trim(), app),
    complete: (app) =>
      callsOf(app.session().view())
        .map(({ key }) => key)
        .toReversed(),
  },
  {
    name: 'log',
    words: '[N]',
    says: 'show what happened in this session, newest last',
    run: (rest, app) => {
      const count = rest.trim() === '' ? USUAL_ROWS : readCount(rest.trim())
      if (count === null) app.session().say('trouble', 'Use /log, or /log N for the last N lines.')
      else showLog(count, app)
    },
  },
  ...resultCommands,
]

function toolNames(app: AppPowers): readonly string[] {
  return app
    .session()
    .runtime.definitions()
    .map(({ name }) => name)
}

function showTools(name: string, app: AppPowers): void {
  const session = app.session()
  const tools = session.runtime.definitions()
  const tool = tools.find((one) => one.name === name)
  if (name !== '' && tool === undefined) {
    session.say('trouble', `There is no tool ${name}. /tools lists them.`)
    return
  }
  if (tool === undefined) {
    const rows = tools.map((one) => `${one.name}\t${plainLine(`${one.effect}: ${one.description}`)}`)
    session.say('plain', rows.join('\n'))
    return
  }
  const properties = (tool.inputSchema['properties'] ?? {}) as Readonly<
    Record<string, { readonly type?: unknown; readonly description?: unknown }>
  >
  const required = new Set(tool.inputSchema['required'] as readonly string[] | undefined)
  const rows = Object.entries(properties).map(
    ([key, { type, description }]) =>
      `${key}\t${String(type ?? '')}, ${required.has(key) ? 'required' : 'optional'}: ${String(description ?? '')}`,
  )
  const facts = `effect ${tool.effect}, risk ${tool.risk}`
  session.say('plain', [`${tool.name} ${tool.version}: ${tool.description}`, facts, ...rows].join('\n'))
}

function showContext(app: AppPowers): void {
  const session = app.session()
  if (session.conversation === null) {
    session.say('plain', 'No model, so there is no context window. /model chooses one.')
    return
  }
  const { model, context_tokens: most, used_tokens: used, ...more } = session.conversation.context()
  const share =
    most === null ? describeUnknown(more.assumed_tokens) : `${Math.round((used / most) * 100)} % of ${most}`
  const { total } = more
  const cost = total.cost === null ? '' : `, cost ${total.cost.toFixed(4)}`
  session.say(
    'plain',
    [
      `model\t${model}`,
      `in use\t${used} tokens, ${share}`,
      `next results\t${more.capacity_bytes} bytes at most`,
      `messages\t${more.messages}, ${more.stubbed_results} results as stubs, ${more.summarized_messages} in a summary`,
      `notes\t${describeNotes(more.notes)}`,
      `used so far\t${total.input_tokens} in (${total.cached_tokens} from the cache), ${total.output_tokens} out${cost}`,
    ].join('\n'),
  )
}

function showSkills(app: AppPowers): void {
  const session = app.session()
  const { usable, unusable } = session.runtime.skills()
  const rows = [
    ...usable.map(({ name, description, from }) => {
      const whose = from === 'project' ? ' (of this project)' : ''
      return `${name}\t${description}${whose}`
    }),
    ...unusable.map(({ path, why }) => `${showPath(path)}\tis not a skill: ${why}`),
  ]
  session.say('plain', rows.length === 0 ? 'There are no skills.' : rows.join('\n'))
}

function describeUnknown(assumed: number | null): string {
  const what = assumed === null ? '' : `; ${assumed} are assumed`
  return `its context window is unknown${what}`
}

function explain(wanted: string, app: AppPowers): void {
  const session = app.session()
  const prefix = wanted === '' ? (app.chosenCall()?.key ?? '') : wanted
  if (prefix === '') {
    session.say('trouble', 'There is no call to explain yet.')
    return
  }
  const [one, ...others] = session.runtime.why(prefix)
  if (one === undefined) {
    session.say('trouble', `No call begins with ${prefix}. /log lists the calls.`)
    return
  }
  if (others.length > 0) {
    const ids = [one, ...others].map(({ execution }) => execution)
    session.say('trouble', `Several calls begin with ${prefix}. ${ids.join(' ')}`)
    return
  }
  const rows = one.gates.map(({ verdict, gate, fact }) => `${verdict.padEnd(4)} ${gate}\t${plainLine(fact)}`)
  const error = one.error === null ? '' : `: ${one.error}`
  const by = one.delegatedBy === undefined ? '' : `, in the conversation of ${one.delegatedBy}`
  const head = `${one.name} (${one.execution}) was ${one.verdict} and is ${one.state}${error}${by}`
  session.say('plain', [plainLine(head), ...rows].join('\n'))
}

function showLog(count: number, app: AppPowers): void {
  const session = app.session()
  const name = session.request.session
  const { payload } = session.runtime.peek(name)
  // Names come from calls, and none of them begins a row of its own.
  const rows = [...session.runtime.log({ session: name })]
    .flatMap((stored) => describe(stored, payload))
    .map(plainLine)
  session.say('plain', rows.length === 0 ? 'Nothing has happened yet.' : rows.slice(-count).join('\n'))
}

function describe({ at, entry, session }: StoredEntry, payload: SessionReader['payload']): readonly string[] {
  const time = new Date(at).toTimeString().slice(0, 8)
  switch (entry.kind) {
    case 'settled': {
      const end = entry.error === null ? 'done' : entry.error.code
      const files = nameChanges(entry.changes, session.root)
      return [`${time} ${entry.execution} ${entry.name} ${end} ${files}`.trimEnd()]
    }
    case 'undo':
    case 'redo':
      return [`${time} ${entry.execution} ${entry.kind} ${nameChanges(entry.changes, session.root)}`]
    case 'landing':
      return [`${time} ${entry.execution} to land: ${nameChanges(entry.changes, session.root)}`]
    case 'asked':
      return entry.questions.map((question) => `${time} asked: ${summaryOf(question, payload)}`)
    case 'answered':
      return [`${time} ${entry.isApproved ? 'approved' : 'denied'}`]
    case 'recovered':
      return [`${time} after an interruption: ${entry.choice}`]
    case 'forgotten':
      return [`${time} forgotten: ${entry.why}`]
    case 'held':
      return [`${time} held: ${entry.executions.length} calls wait for their results`]
    case 'parked':
      return [`${time} waits for ${entry.executions.length} delegated conversations`]
    case 'condensed':
      return [
        `${time} compacted: ${entry.summary === null ? 'older results' : 'older messages'}${describeCompaction(entry)}`,
      ]
    case 'batch':
    case 'continued':
    case 'delegated':
    case 'drafted':
    case 'note':
    case 'opened':
    case 'said':
    case 'started':
    case 'streamed':
    case 'titled':
    case 'voided':
      return []
  }
}
