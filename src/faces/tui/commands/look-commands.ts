import type { StoredEntry } from '../../../journal/entry.ts'
import type { AppCommand, AppPowers } from './app-command.ts'
import { callsOf } from '../view/view.ts'

const LOG_ROWS = 30

/** Commands that only look. */
export const lookCommands: readonly AppCommand[] = [
  {
    name: 'tools',
    words: '[NAME]',
    says: 'what can be called, and with which arguments',
    run: (rest, app) => showTools(rest.trim(), app),
    complete: (app) => toolNames(app),
  },
  {
    name: 'rules',
    words: '',
    says: 'the rules in force, each as a sentence',
    run: (_rest, app) => {
      const rows = app
        .desk()
        .runtime.rules()
        .map(({ sentence }) => sentence)
      app.desk().say('plain', rows.length === 0 ? 'No rules are configured.' : rows.join('\n'))
    },
  },
  {
    name: 'grants',
    words: '[revoke ID]',
    says: 'what may run without a question because you said so, and take it back',
    run: (rest, app) => showGrants(rest.trim(), app),
    complete: () => ['revoke '],
  },
  {
    name: 'log',
    words: '[N]',
    says: 'what happened in this session, newest last',
    run: (rest, app) => showLog(Number(rest.trim()) || LOG_ROWS, app),
  },
  {
    name: 'why',
    words: '[CALL]',
    says: 'which gate decided about a call, and on what; without a word the chosen or the last one',
    run: (rest, app) => explain(rest.trim(), app),
    complete: (app) => executions(app),
  },
  {
    name: 'context',
    words: '',
    says: "how much of the model's room and of the budget is used",
    run: (_rest, app) => showContext(app),
  },
  {
    name: 'tasks',
    words: '',
    says: 'show or hide what is to be done',
    run: (_rest, app) => app.toggleTasks(),
  },
]

/** The names of the tools there are. */
export function toolNames(app: AppPowers): readonly string[] {
  return app
    .desk()
    .runtime.definitions()
    .map(({ name }) => name)
}

function executions(app: AppPowers): readonly string[] {
  return callsOf(app.desk().view())
    .map(({ key }) => key)
    .toReversed()
}

function showTools(name: string, app: AppPowers): void {
  const desk = app.desk()
  const tools = desk.runtime.definitions()
  const tool = tools.find((one) => one.name === name)
  if (name !== '' && tool === undefined) {
    desk.say('trouble', `There is no tool ${name}. /tools lists them.`)
    return
  }
  if (tool === undefined) {
    const rows = tools.map((one) => `${one.name}\t${one.effect}: ${one.description}`)
    desk.say('plain', rows.join('\n'))
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
  desk.say('plain', [`${tool.name} ${tool.version}: ${tool.description}`, facts, ...rows].join('\n'))
}

async function showGrants(rest: string, app: AppPowers): Promise<void> {
  const desk = app.desk()
  const revoked = /^revoke\s+(\S+)$/.exec(rest)?.[1]
  if (revoked !== undefined) {
    const done = await desk.runtime.revoke(revoked, { session: desk.wish.session })
    desk.say(done.ok ? 'good' : 'trouble', done.ok ? 'It is revoked.' : `${revoked} ${done.why}.`)
    return
  }
  const { grants } = await desk.runtime.grants()
  const standing = grants.filter(
    ({ revoked_at: at, expires_at: end }) => at === null && (end === null || end > Date.now()),
  )
  const rows = standing.map(({ id, sentence }) => `${id}\t${sentence}`)
  desk.say(
    'plain',
    rows.length === 0 ? 'Nothing is granted.' : [...rows, '/grants revoke ID takes one back.'].join('\n'),
  )
}

function showLog(count: number, app: AppPowers): void {
  const desk = app.desk()
  const entries = [...desk.runtime.log({ session: desk.wish.session })]
  const rows = entries.flatMap((stored) => describe(stored))
  desk.say('plain', rows.length === 0 ? 'Nothing has happened yet.' : rows.slice(-count).join('\n'))
}

function describe({ at, entry }: StoredEntry): readonly string[] {
  const time = new Date(at).toTimeString().slice(0, 8)
  switch (entry.kind) {
    case 'settled': {
      const end = entry.error === null ? 'done' : entry.error.code
      const files = entry.changes.map(({ path }) => path).join(' ')
      return [`${time} ${entry.execution} ${entry.name} ${end} ${files}`.trimEnd()]
    }
    case 'undo':
    case 'redo':
      return [`${time} ${entry.execution} ${entry.kind} ${entry.changes.map(({ path }) => path).join(' ')}`]
    case 'asked':
      return entry.questions.map(({ summary }) => `${time} asked: ${summary}`)
    case 'answered':
      return [`${time} ${entry.isApproved ? 'approved' : 'denied'}`]
    case 'recovered':
      return [`${time} after an interruption: ${entry.choice}`]
    case 'forgotten':
      return [`${time} forgotten: ${entry.why}`]
    default:
      return []
  }
}

function explain(wanted: string, app: AppPowers): void {
  const desk = app.desk()
  const prefix = wanted === '' ? (app.selected() ?? callsOf(desk.view()).at(-1)?.key ?? '') : wanted
  if (prefix === '') {
    desk.say('trouble', 'There is no call to explain yet.')
    return
  }
  const found = desk.runtime.why(prefix)
  const [one] = found
  if (one === undefined || found.length > 1) {
    const hint =
      found.length === 0
        ? '/log lists the calls there are.'
        : found.map(({ execution }) => execution).join(' ')
    desk.say(
      'trouble',
      `${found.length === 0 ? 'No call begins' : 'Several calls begin'} with ${prefix}. ${hint}`,
    )
    return
  }
  const rows = one.gates.map(({ verdict, gate, fact }) => `${verdict.padEnd(4)} ${gate}\t${fact}`)
  const head = `${one.name} (${one.execution}) was ${one.verdict} and is ${one.state}${one.error === null ? '' : `: ${one.error}`}`
  desk.say('plain', [head, ...rows].join('\n'))
}

function showContext(app: AppPowers): void {
  const desk = app.desk()
  if (desk.conversation === null) {
    desk.say('plain', 'No model, so there is no context to fill. /model names one.')
    return
  }
  const { model, context_tokens: most, used_tokens: used, ...more } = desk.conversation.context()
  const share =
    most === null ? 'how much it can look at is unknown' : `${Math.round((used / most) * 100)} % of ${most}`
  const { total } = more
  const cost = total.cost === null ? '' : `, cost ${total.cost.toFixed(4)}`
  desk.say(
    'plain',
    [
      `model\t${model}`,
      `in use\t${used} tokens, ${share}`,
      `next results\t${more.capacity_bytes} bytes at most`,
      `messages\t${more.messages}, ${more.stubbed_results} results as stubs, ${more.summarized_messages} in a summary`,
      `used so far\t${total.input_tokens} in (${total.cached_tokens} from the cache), ${total.output_tokens} out${cost}`,
    ].join('\n'),
  )
}
