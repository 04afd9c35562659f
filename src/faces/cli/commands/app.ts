import { userName } from '../../../host/system/process.ts'
import type { OpenApp } from '../../../terminal/app-opening.ts'
import type { ParsedLine } from '../arguments.ts'
import { findFolders, loadFor } from '../open.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'
import { readTurnOptions } from '../turn-options.ts'
import { demo } from './demo/demo.ts'

/** Other interfaces that the command line can open; null if not available. */
export interface Faces {
  readonly openApp: OpenApp | null
}

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
  const named = line.value('--model') ?? process.env['TONGS_MODEL'] ?? ''
  return openApp({
    ...folders,
    session: line.value('--session') ?? null,
    isContinuing: line.has('--continue'),
    actor: userName(),
    isAgreeing: line.has('--yes'),
    model: named === '' ? null : named,
    baseUrl: line.value('--base-url') ?? null,
    ...turn,
    preset,
    load,
  })
}
