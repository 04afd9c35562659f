import { userName } from '../../../host/system/process.ts'
import type { ParsedLine } from '../arguments.ts'
import { chooseSession } from '../choose-conversation.ts'
import type { Faces } from '../faces.ts'
import { findFolders, loadFor, openRuntime } from '../open.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'
import { readTurnOptions } from '../turn-options.ts'
import { demo } from './demo/demo.ts'

/** `tongs`: the terminal app; in a pipe, the tour. */
export async function app(line: ParsedLine, terminal: Terminal, { openApp }: Faces): Promise<number> {
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  if (openApp === null || !isAtTerminal || line.has('--no-input')) return demo(line, terminal)
  for (const option of ['--dry-run', '--json'])
    if (line.has(option))
      throw new UsageError(`the app does not take ${option}`, 'give it to call, batch or run')
  const folders = findFolders(line)
  const turn = readTurnOptions(line)
  const load = (preset: string | null) => loadFor(line, folders, preset ?? undefined)
  const preset = line.value('--preset') ?? null
  for (const notice of (await load(preset)).notices) terminal.warn(`tongs: ${notice}`)
  const [model = '', usualModel = ''] = [line.value('--model'), process.env['TONGS_MODEL']]
  return openApp({
    ...folders,
    session: await findSession(line, terminal),
    actor: userName(),
    isAgreeing: line.has('--yes'),
    model: model === '' ? null : model,
    usualModel: usualModel === '' ? null : usualModel,
    baseUrl: line.value('--base-url') ?? null,
    ...turn,
    preset,
    load,
  })
}

/** The session that a line means; null begins a new one. */
async function findSession(line: ParsedLine, terminal: Terminal): Promise<string | null> {
  const named = line.value('--session')
  if (named !== undefined || !line.has('--continue')) return named ?? null
  const runtime = await openRuntime(line, terminal)
  try {
    return await chooseSession(line, runtime)
  } finally {
    await runtime.close()
  }
}
