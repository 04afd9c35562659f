import { userName } from '../../../../host/system/process.ts'
import type { ParsedLine } from '../../arguments.ts'
import { UsageError } from '../../errors.ts'
import type { Faces } from '../../faces.ts'
import { findFolders, loadFor, noteWitness } from '../../open.ts'
import { endOnSignals } from '../../signals.ts'
import { safe } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'
import { readTurnOptions } from '../../turn-options.ts'

/** `tongs acp`: an agent for editors that speak the Agent Client Protocol. */
export async function acp(line: ParsedLine, terminal: Terminal, { serveAcp }: Faces): Promise<number> {
  // An editor adds the words of the sign-in that it was offered to those that start the agent.
  if (line.words[0] === 'setup') return (await import('../setup/setup.ts')).setup(line, terminal)
  if (line.words[0] !== undefined)
    throw new UsageError(`acp does not take ${JSON.stringify(line.words[0])}`, 'usage: tongs acp [setup]')
  if (serveAcp === null) throw new UsageError('this program cannot serve editors', 'use the tongs command')
  for (const option of ['--dry-run', '--json', '--yes', '--session', '--continue'])
    if (line.has(option) || line.value(option) !== undefined)
      throw new UsageError(`acp does not take ${option}`, 'the editor chooses sessions and answers questions')
  const turn = readTurnOptions(line)
  const folders = findFolders(line)
  const { stateDir } = folders
  const preset = line.value('--preset') ?? null
  // What is wrong with the options is told now, not in the middle of a session.
  const loaded = await loadFor(line, folders, preset ?? undefined)
  const tell = (words: string): void => terminal.warn(safe(`tongs: ${words}`))
  for (const notice of loaded.notices) tell(notice)
  await noteWitness(loaded.settings['journal.witness'], folders, terminal)
  const stop = new AbortController()
  const release = endOnSignals(stop)
  try {
    return await serveAcp({
      ...folders,
      actor: userName(),
      model: line.value('--model') || null,
      baseUrl: line.value('--base-url') ?? null,
      ...turn,
      preset,
      load: (root, own) => loadFor(line, { root, stateDir }, own ?? undefined),
      tell,
      signal: stop.signal,
    })
  } finally {
    release()
  }
}
