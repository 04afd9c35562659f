import { join } from 'node:path'
import { isTurnEvent } from '../../../agent/events.ts'
import type { TurnEvent } from '../../../agent/events.ts'
import { openConversation } from '../../../agent/open-conversation.ts'
import { readTextIfThere } from '../../../host/folders.ts'
import { ModelError } from '../../../model/model-client.ts'
import type { ModelClient } from '../../../model/model-client.ts'
import { openModel } from '../../../model/open-model.ts'
import { withRetries } from '../../../model/with-retries.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { stopOnSignals } from '../signals.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../trouble.ts'

const EXITS = { end: 0, cancelled: 130, max_iterations: 1, approval_pending: 4, held: 4, budget: 1 } as const
const PROTOCOLS = ['native', 'fenced', 'auto'] as const
const NOTES_CHARS = 32_768

/** `tongs run [PROMPT]`: one user turn with a model, without a screen. */
export async function run(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [prompt] = line.words
  if (prompt === undefined && !line.has('--continue'))
    throw new UsageError('run needs a prompt', 'say what is to be done, or --continue')
  const spec = line.value('--model') ?? process.env['TONGS_MODEL']
  if (spec === undefined || spec === '')
    throw new UsageError('run needs a model', 'give --model, such as anthropic/NAME or script:FILE')
  const protocol = PROTOCOLS.find((word) => word === (line.value('--protocol') ?? 'auto'))
  if (protocol === undefined)
    throw new UsageError('--protocol is none of native, fenced, auto', 'leave it out to let the model decide')
  const baseUrl = line.value('--base-url')
  const model = withRetries(await chooseModel(spec, baseUrl))
  const runtime = await openRuntime(line, terminal)
  const stop = new AbortController()
  const release = stopOnSignals(stop, terminal)
  try {
    const maxTokens = readNumber(line, '--max-tokens')
    const maxSeconds = readNumber(line, '--max-seconds')
    const conversation = await openConversation({
      runtime,
      model,
      session: line.value('--session') ?? 'cli',
      protocol,
      notes: readTextIfThere(join(runtime.root, 'AGENTS.md'))?.slice(0, NOTES_CHARS) ?? null,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxSeconds === undefined ? {} : { maxSeconds }),
    })
    let exit = 1
    for await (const event of conversation.send(prompt ?? null, { signal: stop.signal })) {
      if (!isTurnEvent(event)) continue
      if (line.has('--json')) terminal.json(event)
      else show(event, terminal)
      if (event.event === 'done') exit = EXITS[event.stop]
    }
    return exit
  } finally {
    release()
    await runtime.close()
  }
}

/** A model that cannot be had is a matter of how the command was called. */
async function chooseModel(spec: string, baseUrl: string | undefined): Promise<ModelClient> {
  try {
    return await openModel(spec, { env: process.env, ...(baseUrl === undefined ? {} : { baseUrl }) })
  } catch (thrown) {
    if (thrown instanceof ModelError)
      throw new UsageError(thrown.message, 'see tongs --help for the models there are')
    throw thrown
  }
}

function readNumber(line: ParsedLine, option: string): number | undefined {
  const text = line.value(option)
  if (text === undefined) return undefined
  if (!/^\d+(\.\d+)?$/.test(text))
    throw new UsageError(`${option} ${JSON.stringify(text)} is no number`, 'write digits')
  return Number(text)
}

function show(event: TurnEvent, terminal: Terminal): void {
  switch (event.event) {
    case 'text':
      terminal.say(safe(event.text))
      return
    case 'call':
      terminal.say(
        terminal.colour('dim', safe(`• ${event.name} ${JSON.stringify(event.args).slice(0, 120)}`)),
      )
      return
    case 'result':
      terminal.say(
        event.ok
          ? terminal.colour('green', `✓ ${safe(event.name)}`)
          : `${terminal.colour('red', `✗ ${safe(event.name)}`)} ${safe(event.content.split('\n')[0] ?? '')}`,
      )
      return
    case 'approval':
      terminal.say(safe(`? ${event.summary} (risk ${event.risk}): tongs approve ${event.id}`))
      return
    case 'error':
      terminal.complain(safe(`tongs: ${event.message}`))
      return
    case 'done':
      if (event.stop !== 'end') terminal.complain(`tongs: stopped: ${event.stop}`)
      return
    case 'turn':
    case 'output':
    case 'recovered':
  }
}
