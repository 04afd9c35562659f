import { parseJson } from '../../core/json/value.ts'
import type { PlacedCall } from '../../runtime/notes/near-notes.ts'
import { knownFolders } from '../log/folder-notes.ts'
import type { ModelSetup } from '../model-setup.ts'

/** Records that the model gets the results of the newest batch, and the notes of folders that its calls were about. */
export function tellResults({ log, source, model, hasNotes }: ModelSetup, turn: string): void {
  const { batch } = log.read()
  log.sayResults(turn, model.id)
  if (batch === null || !hasNotes) return
  const done = batch.entry.calls.filter(({ execution }) => batch.results.get(execution)?.ok === true)
  const calls = done.flatMap(({ name, args }): readonly PlacedCall[] => {
    const bytes = source.log.payload(args)
    return bytes === null ? [] : [{ name, args: parseJson(new TextDecoder().decode(bytes)) ?? null }]
  })
  const near = calls.length === 0 ? null : source.nearNotes(calls, knownFolders(log.read()))
  if (near !== null) log.noteFolders(near)
}
