import type { AppCommand, AppPowers } from './app-command.ts'

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

function toolNames(app: AppPowers): readonly string[] {
  return app
    .desk()
    .runtime.definitions()
    .map(({ name }) => name)
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
