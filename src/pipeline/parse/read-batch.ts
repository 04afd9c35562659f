import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { BatchEntry } from '../../journal/entries/entry.ts'
import type { LogReader } from '../../journal/log.ts'
import { fromFolder } from './from-folder.ts'
import { takeLeniently } from './lenient.ts'
import type { Engine } from '../engine.ts'
import type { Received } from '../step.ts'

const utf8 = new TextDecoder()

/** The calls of a batch as they were received; erased arguments are reported as a problem. */
export function readAgain(
  { calls, origin }: Pick<BatchEntry, 'calls' | 'origin'>,
  { payload }: Pick<LogReader, 'payload'>,
  engine: Pick<Engine, 'registry' | 'validation' | 'settings'>,
): readonly Received[] {
  return calls.map(({ execution, id, name, args, meta, heartbeat }) => {
    const bytes = payload(args)
    const text = bytes === null ? '' : utf8.decode(bytes)
    const known = parseJson(text)
    const received: Received = {
      execution,
      id,
      name,
      args: isJsonObject(known) ? known : {},
      meta: meta ?? {},
      wantsContinuation: heartbeat ?? false,
      envelope: [],
      problems: !isJsonObject(known) ? ['the arguments were erased while the call waited'] : [],
      onRecord: { digest: args, text, bytes: bytes?.length ?? 0 },
    }
    return fromFolder(takeLeniently(received, origin, engine), engine)
  })
}
