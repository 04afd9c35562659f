import { createCopy, createPrivateFileWith } from '../../host/fs/private-files.ts'
import type { SpillRequest } from '../../host/run/run-request.ts'
import { digest } from '../../host/system/hash.ts'
import type { SessionKey } from '../../journal/entries/entry.ts'
import { outputPathFor } from '../../workspace/landing/backups.ts'
import { sealOutput } from '../../workspace/reading/stored-digests.ts'
import type { SealText } from '../../workspace/reading/stored-digests.ts'
import type { Settings } from '../../config/keys.ts'

/** Where what calls returned is stored, and how. */
export interface OutputDeps {
  readonly settings: Settings
  readonly outputFolder: string
  readonly seal: SealText
}

/** The output of a call, or of a part of it, by the name of its file. */
export interface OutputOf {
  readonly session: SessionKey
  readonly name: string
}

/** The name by which `read_file` reads a stored output. */
export function storedPath(name: string): string {
  return `tongs:output/${name}`
}

/** The file that a command's full output goes to; null if outputs are not stored. */
export function spillTo(
  { session, name }: OutputOf,
  { settings, outputFolder, seal }: OutputDeps,
  secrets: readonly string[],
): SpillRequest | null {
  if (!settings['tools.output.spill']) return null
  const path = outputPathFor(outputFolder, session, name)
  return {
    path,
    maxBytes: settings['tools.output.spill_max_bytes'],
    note: `; ${storedPath(name)}`,
    secrets,
    onWritten: (content) => sealOutput(path, content, seal),
  }
}

/** Stores what was fetched, unless something is stored under this name; returns whether it did. */
export function storeFetched(
  { session, name }: OutputOf,
  content: Uint8Array | string,
  { settings, outputFolder, seal }: OutputDeps,
): boolean {
  if (!settings['tools.output.spill']) return false
  const path = outputPathFor(outputFolder, session, name)
  try {
    sealOutput(path, digest(content), seal)
    return createPrivateFileWith(path, content)
  } catch {
    // A full disk is no reason to lose what was fetched.
    return false
  }
}

/** Stores a result. Another file of that name stays: it is the whole output of a command, of which the text is a part. */
export function storeResult(
  { session, name }: OutputOf,
  text: string,
  { settings, outputFolder, seal }: OutputDeps,
): boolean {
  if (!settings['tools.output.spill']) return false
  const path = outputPathFor(outputFolder, session, name)
  try {
    sealOutput(path, digest(text), seal)
    createCopy(path, text)
    return true
  } catch {
    // The log has it all the same, so a full disk is no reason to end a turn.
    return false
  }
}
