import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '../../../core/json/value.ts'
import { elideMiddle } from '../../../core/text/truncate.ts'
import { removeIfExists, writePrivateFile } from '../../fs/folders.ts'
import { readPlainFile } from '../../fs/plain-file.ts'
import { describeOwner, findOwner } from '../../layer/layer-owner.ts'

/** A command that goes on in the background, of any process that uses the state folder. */
export interface LiveCommand {
  readonly execution: string
  readonly session: string
  readonly root: string
  /** Its words, without secrets. */
  readonly command: string
  readonly startedAt: number
}

const MAX_BYTES = 65_536
/** So many fit, whatever they are escaped to. */
const COMMAND_CHARS = 2_000

/** Notes a command that runs now, so that other processes can list it. */
export function noteLive(stateDir: string, live: LiveCommand): void {
  const command = elideMiddle(live.command, COMMAND_CHARS)
  const text = JSON.stringify({ ...live, command, owner: describeOwner() })
  writePrivateFile(placeOf(stateDir, live.execution), Buffer.from(text))
}

/** Notes that it has ended. */
export function dropLive(stateDir: string, execution: string): void {
  removeIfExists(placeOf(stateDir, execution))
}

/** The commands whose process is there; notes that a killed process left are removed. */
export function listLive(stateDir: string): readonly LiveCommand[] {
  return namesIn(join(stateDir, FOLDER)).flatMap((name) => {
    const found = readPlainFile(join(stateDir, FOLDER, name), 'project', MAX_BYTES)
    const value = found.is === 'read' ? parseJson(found.bytes.toString('utf8')) : undefined
    if (!isJsonObject(value)) return []
    const { owner, session, root, command, startedAt } = value
    if (findOwner(String(owner)) === 'ended') {
      dropLive(stateDir, name)
      return []
    }
    return [
      {
        execution: name,
        session: String(session),
        root: String(root),
        command: String(command),
        startedAt: Number(startedAt),
      },
    ]
  })
}

const FOLDER = 'background'

function placeOf(stateDir: string, execution: string): string {
  return join(stateDir, FOLDER, execution)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}
