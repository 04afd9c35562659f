import { createHash } from 'node:crypto'
import { realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import { readFile } from '../../../src/tools/read-file.ts'
import { openWorkspace } from '../../../src/workspace/open-workspace.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { load } from '../../config/load.ts'

/** What a read leaves in the ledger. */
async function seenBy(b: Bench, args: JsonObject, config: JsonObject = {}) {
  const { settings } = await load({ given: config })
  const root = realpathSync(b.root)
  const workspace = openWorkspace({
    root,
    settings,
    clock: systemClock,
    backupFolder: join(b.top, 'backups'),
    outputFolder: join(b.top, 'outputs'),
  })
  const transaction = workspace.begin({
    execution: 'e',
    session: { root: '/', name: 's' },
    ledger: () => null,
  })
  try {
    await readFile.run(args, {
      callId: 'c',
      executionId: 'e',
      signal: new AbortController().signal,
      settings,
      timeoutMs: 1000,
      maxOutputBytes: settings['tools.output.max_bytes'],
      capacityBytes: null,
      cwd: '.',
      isDryRun: false,
      attach: null,
      now: () => 0,
      store: transaction.store,
      emit: () => undefined,
      files: transaction.files,
    })
    return transaction.seen.map(({ path, digest, range }) => ({
      path: path.slice(root.length + 1),
      digest,
      range,
    }))
  } finally {
    transaction.close()
    workspace.close()
  }
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

const LINES = 'one\ntwo\nthree\nfour\n'

describe('what the ledger learns from a read', () => {
  it.for([
    ['the whole file', {}, null],
    ['all of its lines', { start_line: 1, end_line: 4 }, null],
    ['a range', { start_line: 2, end_line: 3 }, { start_line: 2, end_line: 3 }],
    [
      'a range with context',
      { start_line: 3, end_line: 3, include_context: 1 },
      { start_line: 2, end_line: 4 },
    ],
    ['only the lines that were shown to their end', { max_bytes: 6 }, { start_line: 1, end_line: 1 }],
    ['a cut between two lines', { max_bytes: 8 }, { start_line: 1, end_line: 2 }],
    ['no line at all', { max_bytes: 2 }, { start_line: 1, end_line: 0 }],
  ] as const)('%s, with the hash of the whole file', async ([, args, range]) => {
    const b = bench({ 'a.txt': LINES })
    expect(await seenBy(b, { path: 'a.txt', ...args })).toEqual([
      { path: 'a.txt', digest: sha256(LINES), range },
    ])
  })

  it('the byte order mark counts in the hash, and a link is the file that it leads to', async () => {
    const b = bench({ 'a.txt': `\uFEFF${LINES}` })
    symlinkSync('a.txt', join(b.root, 'link'))
    expect(await seenBy(b, { path: 'link' })).toEqual([
      { path: 'a.txt', digest: sha256(`\uFEFF${LINES}`), range: null },
    ])
  })

  it('a file over the editing limit is noted without a hash', async () => {
    const b = bench({ 'a.txt': LINES })
    const config = { 'tools.edit.max_file_bytes': LINES.length - 1 }
    expect(await seenBy(b, { path: 'a.txt', end_line: 2 }, config)).toEqual([
      { path: 'a.txt', digest: null, range: { start_line: 1, end_line: 2 } },
    ])
    const exact = { 'tools.edit.max_file_bytes': LINES.length }
    expect(await seenBy(b, { path: 'a.txt', end_line: 2 }, exact)).toMatchObject([{ digest: sha256(LINES) }])
  })

  it('binary files are hashed too, and known whole only if they were shown whole', async () => {
    const bytes = Uint8Array.of(0, 1, 2, 3)
    const b = bench({ 'a.bin': bytes })
    expect(await seenBy(b, { path: 'a.bin' })).toEqual([
      { path: 'a.bin', digest: sha256(bytes), range: null },
    ])
    expect(await seenBy(b, { path: 'a.bin', max_bytes: 3 })).toEqual([
      { path: 'a.bin', digest: sha256(bytes), range: { start_line: 1, end_line: 0 } },
    ])
  })
})
