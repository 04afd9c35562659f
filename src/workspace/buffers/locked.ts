import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'

const WRITABLE = 'Ask the user to make the buffer writable, then try again.'

/** Refuses to change a file that a person has made read-only in the editor. */
export function lockedIn(path: string, why: string): ToolFailure {
  const message = `${path} is read-only in the editor: ${why}.`
  return failure('execution_failed', message, { path, reason: 'read_only' }, [WRITABLE])
}

/** Refuses to land what a command made of such a file; its layer is kept, as after any other conflict. */
export function landsOnLocked(file: string, why: string): ToolFailure {
  const reason = `${file} is read-only in the editor (${why})`
  return failure('stale_file', `Nothing was landed: ${reason}.`, { file, reason }, [WRITABLE])
}
