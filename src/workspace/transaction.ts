import type { Settings } from '../config/keys.ts'
import type { Clock } from '../core/clock.ts'
import { failure } from '../core/error.ts'
import type { SeenFile } from '../journal/entry.ts'
import { backupPathFor, keepBackups, sessionFolder } from './backups.ts'
import { createStaging } from './edits.ts'
import { createFiles } from './files.ts'
import { NO_FORECAST } from './forecast.ts'
import { prepare } from './prepare.ts'
import { createStagedStore } from './session-store.ts'
import type { Sandbox } from './sandbox.ts'
import type { Transaction, TransactionOptions } from './workspace.ts'

/** What every transaction of a workspace shares. */
export interface TransactionHouse {
  readonly sandbox: Sandbox
  readonly settings: Settings
  readonly clock: Clock
  /** Where old contents are kept as real files. */
  readonly backupFolder: string
}

/** Begins a transaction: the powers over files that one call has, until it is closed. */
export function beginTransaction(
  house: TransactionHouse,
  { execution, session, ledger, recall = () => null, forecast = NO_FORECAST }: TransactionOptions,
): Transaction {
  const seen: SeenFile[] = []
  let isOver = false
  const assertOpen = (): void => {
    if (isOver)
      throw failure('execution_failed', 'The call has ended; nothing of it reaches the workspace any more.')
  }
  const note = (entry: SeenFile): void => void seen.push(entry)
  const now = (): number => house.clock.now()
  const maxFileBytes = house.settings['tools.edit.max_file_bytes']
  const backupFolder = sessionFolder(house.backupFolder, session)
  const reading = createFiles({ sandbox: house.sandbox, note, now, assertOpen, backupFolder })
  const startedAt = now()
  const backup = (path: string): string => backupPathFor(backupFolder, execution, startedAt, path)
  const staging = createStaging({
    sandbox: house.sandbox,
    ledger,
    maxFileBytes,
    shownBytes: house.settings['tools.edit.stale_shown_bytes'],
    backupPathFor: (at) => backup(at.absolute),
    note,
    now,
    assertOpen,
    forecast,
  })
  return {
    files: reading.files,
    edits: staging.edits,
    store: createStagedStore(recall, assertOpen),
    seen,
    preview: () => ({
      diff: staging.edits.diff(),
      contents: new Map(staging.staged().map(({ at, after }) => [at.absolute, after])),
    }),
    stagedContents: () =>
      staging
        .staged()
        .map(({ at, base, after }) => ({ path: at.display, before: base?.bytes ?? null, after })),
    prepare() {
      const staged = staging.staged()
      if (staged.length === 0) return null
      const prepared = prepare(staged, ledger, maxFileBytes, now())
      keepBackups(staged, (at) => backup(at.absolute))
      return prepared
    },
    close() {
      isOver = true
      reading.close()
    },
  }
}
