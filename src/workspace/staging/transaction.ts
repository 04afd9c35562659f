import type { Settings } from '../../config/keys.ts'
import type { Clock } from '../../core/clock.ts'
import { failure } from '../../core/error.ts'
import type { OpenBuffers } from '../buffers/open-buffers.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { Edits, Files, SessionStore } from '../../core/powers.ts'
import type { Digest, SeenFile } from '../../journal/entries/entry.ts'
import type { AttributeCache } from '../landing/attribute-cache.ts'
import { backupPathFor, sessionFolder } from '../landing/backups.ts'
import type { StoredFolders } from '../landing/backups.ts'
import { createStaging, diffOf } from './edits.ts'
import type { Staging } from './edits.ts'
import type { FindUnsaved } from '../buffers/unsaved.ts'
import { createFiles } from '../reading/files.ts'
import { assumePreview, NOTHING_ASSUMED } from './assumed-files.ts'
import type { AssumedFiles } from './assumed-files.ts'
import type { PendingCommits } from '../landing/pending-commits.ts'
import { readCurrent } from '../landing/read-current.ts'
import { copyTexts } from './copy-texts.ts'
import type { ReadAfter } from './copy-texts.ts'
import { prepare } from './prepare.ts'
import type { Prepared } from './prepare.ts'
import { showHunks, takeHunks } from './take-hunks.ts'
import type { LeftPart } from './take-hunks.ts'
import type { SealText } from '../reading/stored-digests.ts'
import type { Located, Sandbox } from '../sandbox/sandbox.ts'
import type { StagedFile, StagedFolder } from './staged-file.ts'
import type { StagingBuffers } from './staged-files.ts'
import type { StagedLayer, Transaction, TransactionOptions } from '../workspace.ts'
import type { StagedContent } from './staged-content.ts'

/** What every transaction of a workspace shares. */
export interface TransactionDeps {
  readonly sandbox: Sandbox
  readonly settings: Settings
  readonly clock: Clock
  /** The folder for backups of old contents. */
  readonly backupFolder: string
  /** The folder for the output of commands. */
  readonly outputFolder: string
  /** The folder of a skill of the user, by its name; null if there is none. */
  readonly skillFolder: (name: string) => string | null
  readonly seal: SealText
  readonly commits: PendingCommits
  readonly attributeCache: AttributeCache
  readonly readAfter: ReadAfter
  readonly buffers: OpenBuffers | null
  readonly findUnsaved: FindUnsaved | null
}

/** Begins a transaction: the file access of one call, until it is closed. */
export function beginTransaction(deps: TransactionDeps, options: TransactionOptions): Transaction {
  return new OpenTransaction(deps, options)
}

const NO_PATHS: ReadonlySet<string> = new Set()
const UNCHANGED: ReadonlyMap<string, JsonValue> = new Map()
const nothing = (): null => null
const ignore = (): void => undefined
const noFiles = (): readonly never[] => []

/** A class with lazy members, because every call begins one and few calls use more than one member. */
class OpenTransaction implements Transaction {
  readonly seen: SeenFile[] = []
  readonly #deps: TransactionDeps
  readonly #options: TransactionOptions
  /** When the first backup was named; all backups of the call share it. */
  #backupAtMs: number | null = null
  #isOver = false
  #hasLookedPast = false
  readonly #assumed: AssumedFiles
  #reading: ReturnType<typeof createFiles> | null = null
  #staging: Staging | null = null
  #store: StagedStore | null = null
  #layer: StagedLayer | null = null
  /** What is left of the staged files if only some hunks were approved. */
  #taken: readonly StagedFile[] | null = null
  #partial = NO_PATHS

  constructor(deps: TransactionDeps, options: TransactionOptions) {
    this.#deps = deps
    this.#options = options
    const { earlier = NOTHING_ASSUMED, preview } = options
    this.#assumed = preview === undefined ? earlier : assumePreview(preview)
  }

  get files(): Files {
    this.#lookPast()
    this.#reading ??= createFiles({
      ...this.#means(),
      storedFolders: () => this.#storedFolders(),
      changedBy: this.#options.changedBy ?? noFiles,
      findUnsaved: this.#deps.findUnsaved,
      maxUnsavedBytes: this.#deps.settings['tools.edit.max_file_bytes'],
    })
    return this.#reading.files
  }

  get edits(): Edits {
    const { ledger } = this.#options
    this.#staging ??= createStaging({
      ...this.#means(),
      ledger,
      maxFileBytes: this.#deps.settings['tools.edit.max_file_bytes'],
      shownBytes: this.#deps.settings['tools.edit.stale_shown_bytes'],
      backupPathFor: (at) => this.#backupPath(at),
      assumed: this.#assumed,
      noteUncovered: () => this.#lookPast(),
      editor: this.#editor(),
    })
    return this.#staging.edits
  }

  get store(): SessionStore {
    this.#store ??= createStagedStore(this.#options.readStored ?? nothing, () => this.#assertOpen())
    return this.#store
  }

  stored(): ReadonlyMap<string, JsonValue> {
    return this.#store?.changes() ?? UNCHANGED
  }

  preview() {
    const staged = this.#staged()
    return {
      ...showHunks(staged, diffOf),
      contents: new Map(staged.map(({ at, after }) => [at.absolute, after])),
    }
  }

  stagedContents(): readonly StagedContent[] {
    return this.#staged().map(({ at, base, after }) => ({
      path: at.display,
      absolute: at.absolute,
      isAssumed: this.#assumed.find(at.absolute) !== undefined,
      before: base?.bytes ?? null,
      beforeDigest: base?.digest,
      after,
    }))
  }

  takeHunks(chosen: readonly number[]): readonly LeftPart[] {
    const { staged, leftOut } = takeHunks(this.#staged(), new Set(chosen))
    this.#taken = staged
    this.#partial = new Set(leftOut.map(({ path }) => path))
    return leftOut
  }

  landsInEditor(): boolean {
    return this.#staged().some(
      ({ at, base }) => base?.isUnsaved === true || (base?.left !== undefined && this.#isUnsaved(at)),
    )
  }

  hasLookedPast(): boolean {
    return this.#hasLookedPast
  }

  stageLayer(staged: StagedLayer): void {
    this.#layer = staged
  }

  prepare(): Prepared | null {
    if (this.#layer !== null) return this.#prepareLayer(this.#layer)
    const staged = this.#staged()
    const folders = this.#folders(staged)
    if (staged.length + folders.length === 0) return null
    const { attributeCache, clock } = this.#deps
    const prepared = prepare(staged, folders, {
      ledger: this.#options.ledger,
      attributeCache,
      now: clock.now(),
      earlierBytes: this.#assumed.bytes,
    })
    this.#deps.commits.add(this.#options.execution, {
      staged,
      maxFileBytes: this.#deps.settings['tools.edit.max_file_bytes'],
      backupPathFor: (at) => this.#backupPath(at),
    })
    // The caller knows what it asked for, not what was taken of it.
    const partial = new Set(staged.flatMap(({ at }) => (this.#partial.has(at.display) ? [at.absolute] : [])))
    return partial.size === 0
      ? prepared
      : { ...prepared, seen: prepared.seen.filter(({ path }) => !partial.has(path)) }
  }

  /** Its contents are on disk already, and the files it replaces are moved, so the journal gets little of them. */
  #prepareLayer(layer: StagedLayer): Prepared | null {
    const { changes, notes, payloads = NO_PAYLOADS } = layer
    if (changes.length === 0) return null
    this.#deps.commits.add(this.#options.execution, {
      staged: [],
      layer,
      maxFileBytes: Infinity,
      backupPathFor: (at) => this.#backupPath(at),
    })
    const copied = copyTexts(changes, this.#deps.readAfter)
    return { changes: copied.changes, payloads: new Map([...payloads, ...copied.payloads]), seen: [], notes }
  }

  close(): void {
    this.#isOver = true
    this.#reading?.close()
  }

  #staged(): readonly StagedFile[] {
    return this.#taken ?? this.#staging?.staged() ?? NONE
  }

  /** Of a call that was taken in part, the folders that something which was taken leaves or needs. */
  #folders(staged: readonly StagedFile[]): readonly StagedFolder[] {
    const all = this.#staging?.folders() ?? []
    if (this.#taken === null) return all
    return all.filter(({ at, likeAt }) =>
      staged.some((file) => isAbove(at, file.at) && (file.after === null) === (likeAt === null)),
    )
  }

  /** What an earlier call of the message has staged is in neither place yet. */
  #isUnsaved({ root, rel, absolute }: Located): boolean {
    const { findUnsaved, settings } = this.#deps
    if (findUnsaved === null) return false
    const current = readCurrent(root, rel, settings['tools.edit.max_file_bytes'])
    return current !== null && findUnsaved(absolute, current.bytes, current.identity) !== null
  }

  #editor(): StagingBuffers | null {
    const { buffers, findUnsaved } = this.#deps
    return buffers === null || findUnsaved === null ? null : { buffers, findUnsaved }
  }

  #means() {
    return {
      sandbox: this.#deps.sandbox,
      note: (entry: SeenFile): void => void this.seen.push(entry),
      now: (): number => this.#deps.clock.now(),
      assertOpen: (): void => this.#assertOpen(),
      onRead: this.#options.onRead ?? ignore,
    }
  }

  #lookPast(): void {
    if (!this.#assumed.isEmpty) this.#hasLookedPast = true
  }

  #assertOpen(): void {
    if (this.#isOver)
      throw failure('execution_failed', 'The call has ended and can no longer use the workspace.')
  }

  #backupFolder(): string {
    return sessionFolder(this.#deps.backupFolder, this.#options.session)
  }

  #storedFolders(): StoredFolders {
    const output = sessionFolder(this.#deps.outputFolder, this.#options.session)
    return { backup: this.#backupFolder(), output, skill: this.#deps.skillFolder, seal: this.#deps.seal }
  }

  #backupPath({ absolute }: Located): string {
    this.#backupAtMs ??= this.#deps.clock.now()
    return backupPathFor(this.#backupFolder(), this.#options.execution, this.#backupAtMs, absolute)
  }
}

function isAbove(folder: Located, file: Located): boolean {
  return folder.root === file.root && file.rel.startsWith(`${folder.rel}/`)
}

const NONE: readonly StagedFile[] = []
const NO_PAYLOADS: ReadonlyMap<Digest, Uint8Array> = new Map()

/** A store whose changes are staged like those of files. */
interface StagedStore extends SessionStore {
  /** What was written, by key. */
  readonly changes: () => ReadonlyMap<string, JsonValue>
}

/** Creates a store on top of what the session has stored so far. */
function createStagedStore(
  readStored: (key: string) => JsonValue | null,
  assertOpen: () => void,
): StagedStore {
  const staged = new Map<string, JsonValue>()
  return {
    read(key) {
      assertOpen()
      return staged.get(key) ?? readStored(key)
    },
    write(key, value) {
      assertOpen()
      staged.set(key, value)
    },
    changes: () => staged,
  }
}
