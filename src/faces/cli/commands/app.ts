import { userName } from '../../../host/system/process.ts'
import type { LoadedSettings } from '../../../config/load-settings.ts'
import type { AppOpening } from '../../../terminal/app-opening.ts'
import type { ParsedLine } from '../arguments.ts'
import type { Faces } from '../faces.ts'
import { configure, loadFor } from '../open.ts'
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
  const turn = readTurnOptions(line)
  const preset = line.value('--preset') ?? null
  const { root, stateDir, ...first } = await configure(line, terminal)
  return openApp({
    root,
    stateDir,
    session: line.value('--session') ?? null,
    isContinuing: line.has('--continue'),
    actor: userName(),
    isAgreeing: line.has('--yes'),
    model: line.value('--model') || null,
    baseUrl: line.value('--base-url') ?? null,
    ...turn,
    preset,
    load: afterFirst(first, preset, (own) => loadFor(line, { root, stateDir }, own ?? undefined)),
  })
}

/** Loads the settings; the first time, those that were loaded to tell their notices. */
function afterFirst(
  first: LoadedSettings,
  preset: string | null,
  load: AppOpening['load'],
): AppOpening['load'] {
  let unused: LoadedSettings | null = first
  return async (own) => {
    const loaded = own === preset ? unused : null
    unused = null
    return loaded ?? load(own)
  }
}
