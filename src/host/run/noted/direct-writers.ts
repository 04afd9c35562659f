import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failure } from '../../../core/error.ts'
import { isJsonObject, parseJson } from '../../../core/json/value.ts'
import type { JsonValue } from '../../../core/json/value.ts'
import { showPath } from '../../../core/text/display/show-path.ts'
import { elideMiddle } from '../../../core/text/truncate.ts'
import type { GitBelow } from '../../confine/confinement.ts'
import { isBelow } from '../../confine/mount.ts'
import { createCopy, makePrivateFolder, namesIn, removeFile } from '../../fs/private-files.ts'
import { readPlainFile } from '../../fs/plain-file.ts'
import { describeOwner, findOwner } from '../../layer/layer-owner.ts'

/** A command that writes folders directly and not on a layer. */
export interface DirectWriter {
  /** Absolute, without links. */
  readonly folders: readonly string[]
  /** The handle and the words of a command in the background; null for one that a call waits for. */
  readonly background: { readonly handle: string; readonly words: string } | null
}

/** The folders of a command whose process was killed, and what there was of git in them before it started. */
export interface LeftFolders {
  readonly folders: readonly string[]
  readonly before: readonly GitBelow[]
  /** Forgets it, once what the command made was looked for. */
  readonly settle: () => void
}

/** The folders that a command has for itself. */
export interface EnteredFolders {
  /** What commands left in them whose end nobody saw. */
  readonly left: readonly LeftFolders[]
  /** Keeps what there is of git in the folders, in case this process is killed; call it before the command starts. */
  readonly noteBefore: (before: readonly GitBelow[]) => void
  readonly leave: () => void
}

type State = 'waiting' | 'running'

interface Note extends DirectWriter {
  /** Whether its process has ended. */
  readonly isEnded: boolean
  /** Unique, and in the order in which commands come. */
  readonly id: string
  readonly state: State
}

/** Holds for writing as well, so that what was written is read. The names of a workspace may be many, and long. */
const MAX_NOTE_BYTES = 64 * 1024 ** 2
const WORDS_CHARS = 200
const LOOK_AGAIN_MS = 50

/**
 * Waits until no other command of any process on this state folder writes one of the folders directly: what is mounted for
 * one, and what is found of it afterwards, must not be changed by another meanwhile. One in the background may go on for
 * hours, so it is named instead.
 */
export async function enterFolders(
  stateDir: string,
  writer: DirectWriter,
  signal: AbortSignal,
): Promise<EnteredFolders> {
  const folder = join(stateDir, 'direct')
  const id = `${Date.now()}-${randomUUID()}`
  const placeIn = (state: State): string => join(folder, `${id}.${state}`)
  const findOthers = (): readonly Note[] => readNotes(folder, writer).filter((other) => other.id !== id)
  const leave = (): void => removeNote(folder, id)
  makePrivateFolder(folder)
  writeNote(placeIn('waiting'), { ...writer, background: shorten(writer.background), owner: describeOwner() })
  try {
    for (;;) {
      if (!findOthers().some((other) => isAhead(other, id))) {
        renameSync(placeIn('waiting'), placeIn('running'))
        // Two that came at once see each other here at the latest: both step back, and the one that came first goes on.
        if (!findOthers().some(({ state }) => state === 'running'))
          return {
            left: findLeft(folder, writer),
            noteBefore: (before) => writeNote(join(folder, `${id}.before`), before),
            leave,
          }
        renameSync(placeIn('running'), placeIn('waiting'))
      }
      await sleep(LOOK_AGAIN_MS, undefined, { signal })
    }
  } catch (thrown) {
    leave()
    throw thrown
  }
}

function shorten(background: DirectWriter['background']): DirectWriter['background'] {
  return background && { ...background, words: elideMiddle(background.words, WORDS_CHARS) }
}

function writeNote(path: string, content: object): void {
  const text = JSON.stringify(content)
  if (Buffer.byteLength(text) > MAX_NOTE_BYTES)
    throw failure(
      'not_allowed',
      'The command would write folders directly, and what is in them could not be noted: the names of repositories, denied and closed folders there take more than 64 MiB.',
      {},
      ['Grant a smaller folder, or let commands write on a layer alone.'],
    )
  createCopy(path, text)
}

/** Whether another goes first; throws if it is one that is not waited for. */
function isAhead({ state, background, id }: Note, own: string): boolean {
  if (state === 'waiting') return id < own
  if (background === null) return true
  throw failure(
    'not_allowed',
    `${background.words} runs in the background and writes the same folder directly, so no other command may until it has ended.`,
    { handle: background.handle },
    [
      `Stop it with run_shell {"handle":"${background.handle}","stop":true}, then try again.`,
      'Or let commands write on a layer alone: leave the folder out of tools.shell.passthrough.',
    ],
  )
}

/** The notes about the same folders of processes that are there. */
function readNotes(folder: string, { folders }: DirectWriter): readonly Note[] {
  return namesIn(folder)
    .flatMap((name) => readNote(folder, name) ?? [])
    .filter(({ isEnded, ...other }) => !isEnded && areAnyNested(other.folders, folders))
}

/** What killed processes left of their notes about these folders. */
function findLeft(folder: string, { folders }: DirectWriter): readonly LeftFolders[] {
  return namesIn(folder)
    .flatMap((name) => readNote(folder, name) ?? [])
    .filter(({ isEnded, ...other }) => isEnded && areAnyNested(other.folders, folders))
    .flatMap((note) => {
      const settle = (): void => removeNote(folder, note.id)
      const path = join(folder, `${note.id}.before`)
      const found = readPlainFile(path, 'project', MAX_NOTE_BYTES)
      if (found.is === 'refused') throw unreadableNote(path, note, found.why)
      const before = found.is === 'read' ? readBefore(found.bytes.toString('utf8')) : null
      // Without that it had not started, or it is not known what was there.
      if (before === null) settle()
      return before === null ? [] : [{ folders: note.folders, before, settle }]
    })
}

/** What a killed command made cannot be told then, and it may be a repository that git obeys. */
function unreadableNote(path: string, { folders }: Note, why: string): Error {
  return failure(
    'not_allowed',
    `A command that wrote ${folders.map(showPath).join(', ')} directly was killed, and the note of what was there before, ${path}, cannot be read: ${why}. What the command made there cannot be told.`,
    { path },
    ['Look for new repositories (.git) in these folders, remove the note, then run the command again.'],
  )
}

function readBefore(text: string): readonly GitBelow[] | null {
  const value = parseJson(text)
  if (!Array.isArray(value)) return null
  return value.filter(isJsonObject).map(({ repositories, inner, bare, unreadable, unseen }) => ({
    repositories: namesOf(repositories),
    ...(inner === undefined ? {} : { inner: namesOf(inner) }),
    ...(bare === undefined ? {} : { bare: namesOf(bare) }),
    unreadable: namesOf(unreadable),
    unseen: namesOf(unseen),
  }))
}

function namesOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function removeNote(folder: string, id: string): void {
  for (const kind of ['waiting', 'running', 'before'] as const) removeFile(join(folder, `${id}.${kind}`))
}

function areAnyNested(theirs: readonly string[], ours: readonly string[]): boolean {
  return theirs.some((one) => ours.some((own) => areNested(own, one)))
}

function areNested(one: string, other: string): boolean {
  return isBelow(one, other) || isBelow(other, one)
}

function readNote(folder: string, name: string): Note | null {
  const [, id = '', state] = /^([\w-]+)\.(waiting|running)$/.exec(name) ?? []
  if (state !== 'waiting' && state !== 'running') return null
  const path = join(folder, name)
  const found = readPlainFile(path, 'project', MAX_NOTE_BYTES)
  // Gone, or renamed: then it is seen under its other name at the next look.
  if (found.is !== 'read') return null
  const value = parseJson(found.bytes.toString('utf8'))
  if (!isJsonObject(value)) {
    removeFile(path)
    return null
  }
  const { background, folders } = value
  return {
    id,
    state,
    isEnded: findOwner(String(value['owner'])) === 'ended',
    folders: Array.isArray(folders) ? folders.map(String) : [],
    background: isJsonObject(background)
      ? { handle: String(background['handle']), words: String(background['words']) }
      : null,
  }
}
