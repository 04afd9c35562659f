import { createSetupLines } from '../../../../setup/setup-lines.ts'
import { runSetup } from '../../../../setup/run-setup.ts'
import type { SetupWorld } from '../../../../setup/run-setup.ts'
import type { Way } from '../../../../setup/find-ways.ts'
import type { ParsedLine } from '../../arguments.ts'
import { UsageError } from '../../errors.ts'
import { configure } from '../../open.ts'
import { openPromptTerminal } from '../../prompts/prompt-terminal.ts'
import type { PromptTerminal } from '../../prompts/prompt-terminal.ts'
import { safe } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'
import { setUpWithoutQuestions } from './without-questions.ts'

const INTRODUCTION = [
  'This sets up the model that Tongs talks to. Ctrl-C leaves everything as it is.',
] as const
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `tongs setup`: guides to a working model, and writes the user's own configuration. */
export async function setup(line: ParsedLine, terminal: Terminal): Promise<number> {
  const { settings, root } = await configure(line, terminal)
  const world: SetupWorld = { env: process.env, settings, root }
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  // Handled, so that nothing can end the process between the two files that it writes.
  for (const signal of ENDING) process.on(signal, onSignal)
  try {
    if (line.value('--model') !== undefined)
      return await setUpWithoutQuestions(line, terminal, world, stop.signal)
    for (const option of ['--key-command', '--key-stdin'])
      if (line.has(option)) throw new UsageError(`${option} needs --model`, 'name the model the key is for')
    const prompt = line.has('--no-input') ? null : openPromptTerminal()
    if (prompt === null)
      throw new UsageError(
        'setup asks questions, and there is no terminal to ask on',
        'give --model MODEL, with the key in the environment, --key-command COMMAND or --key-stdin',
      )
    return await guide(line, { terminal, prompt, world, signal: stop.signal })
  } finally {
    for (const signal of ENDING) process.off(signal, onSignal)
  }
}

interface Guidance {
  readonly terminal: Terminal
  readonly prompt: PromptTerminal
  readonly world: SetupWorld
  readonly signal: AbortSignal
}

async function guide(line: ParsedLine, { terminal, prompt, world, signal }: Guidance): Promise<number> {
  const dialogs = createSetupLines({
    columns: () => prompt.columns,
    print: (row) => prompt.write(`${row}\n`),
    ask: async (question, isSecret) => {
      const typed = await (isSecret ? prompt.askUnseen : prompt.ask)(question, signal)
      return typed.is === 'line' ? typed.text : null
    },
    signal,
  })
  try {
    const end = await runSetup(dialogs, world, { introduction: INTRODUCTION, ...readWish(line) })
    if (end.is === 'left') {
      terminal.warn('tongs: nothing was changed; run tongs setup when you want to go on')
      return signal.aborted ? 130 : 1
    }
    for (const sentence of end.says) terminal.print(safe(sentence))
    terminal.print('Now type tongs, or tongs run "what you want done".')
    return 0
  } finally {
    prompt.close()
  }
}

/** An address alone means a server with OpenAI's API. */
function readWish(line: ParsedLine): { readonly way?: Way; readonly baseUrl?: string } {
  const baseUrl = line.value('--base-url')
  return baseUrl === undefined ? {} : { way: { is: 'address' }, baseUrl }
}
