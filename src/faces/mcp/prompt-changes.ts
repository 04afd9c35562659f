import type { Clock } from '../../core/clock.ts'
import { systemClock } from '../../host/system/clock.ts'
import type { OwnCommands } from '../../runtime/commands/own-command.ts'
import { listPrompts } from './prompts.ts'

/** The least time between two looks at the files. */
const REST_MS = 1000

/** The prompts that clients were told of, and whether they still are those. */
export interface PromptChanges {
  /** The prompts as they are now, for a client that asks. */
  readonly list: () => ReturnType<typeof listPrompts>
  /** Looks whether they have changed since a client asked, and tells it. */
  readonly look: () => void
}

/**
 * Follows the commands that are files. It looks at them when a client makes a call, and not while it rests: that may
 * last for days.
 */
export function followPrompts(
  commands: () => OwnCommands,
  tell: () => void,
  clock: Clock = systemClock,
): PromptChanges {
  let known: string | null = null
  let lookedAt = -Infinity
  return {
    list() {
      const prompts = listPrompts(commands())
      known ??= JSON.stringify(prompts)
      return prompts
    },
    look() {
      // A client that never asked has nothing that could be out of date.
      if (known === null || clock.elapsed() - lookedAt < REST_MS) return
      lookedAt = clock.elapsed()
      let now: string
      try {
        now = JSON.stringify(listPrompts(commands()))
      } catch {
        // No call fails because of them; a client that asks for the list is told what is wrong.
        return
      }
      if (now === known) return
      known = now
      tell()
    },
  }
}
