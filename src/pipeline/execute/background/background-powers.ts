import type { BackgroundPowers } from '../../../core/shell/background.ts'
import { shellWord } from '../../../core/command/shell-word.ts'
import { failure } from '../../../core/error.ts'
import type { SpawnRequest } from '../../../core/powers.ts'
import { redactAndList } from '../../../core/text/secrets/redact.ts'
import type { Digest, Entry } from '../../../journal/entries/entry.ts'
import { backgroundEnded, backgroundStarted } from '../../../journal/entries/background-note.ts'
import type { SessionLog } from '../../../journal/log.ts'
import type { Engine, Shell, ShellHooks } from '../../engine.ts'

/** What a call is, as far as a command that it leaves in the background needs it. */
export interface BackgroundSource {
  readonly call: { readonly execution: string }
  readonly allowance: { readonly maxOutputBytes: number }
  readonly log: SessionLog
  readonly shell: Shell
  readonly stop: () => AbortController
  readonly now: () => number
  readonly isNoSecret: ShellHooks['isNoSecret']
  /** Values that are secret whatever they look like. */
  readonly knownSecrets: Engine['knownSecrets']
  readonly digest: Engine['digest']
}

const utf8 = new TextEncoder()

/** Gives a tool commands that go on when its call has ended; `prepare` judges each before it starts. */
export function createBackground(
  source: BackgroundSource,
  prepare: (request: SpawnRequest) => SpawnRequest,
): BackgroundPowers {
  const { log, shell, isNoSecret, now, digest } = source
  const { execution } = source.call
  let isUsed = false
  const note = (entry: Entry, payloads: readonly (readonly [Digest, Uint8Array])[] = []): void =>
    void log.append({ entries: [entry], payloads, reliance: 'recorded' })
  return {
    async start(request) {
      const prepared = prepare(request)
      // The handle is the call.
      if (isUsed) throw failure('execution_failed', 'A call starts at most one command in the background.')
      isUsed = true
      const words = redactAndList(request.argv.map(shellWord).join(' '), {
        known: source.knownSecrets(),
        isAllowed: isNoSecret,
      }).text
      return shell.startBackground(prepared, {
        execution,
        session: log.key,
        maxOutputBytes: source.allowance.maxOutputBytes,
        isNoSecret,
        onHidden: () => undefined,
        words,
        now,
        onStart: () => {
          const bytes = utf8.encode(words)
          const named = digest(bytes)
          note(backgroundStarted(execution, named), [[named, bytes]])
        },
        onEnd: (end, durationMs) => {
          try {
            note(backgroundEnded(execution, end, durationMs))
          } catch {
            // Another process has taken the session over; it finds a start without an end, and says so.
          }
        },
      })
    },
    read: (handle, wish) => shell.readBackground(log.key, handle, wish, source.stop().signal),
  }
}
