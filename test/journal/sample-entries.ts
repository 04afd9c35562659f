import type { Grant } from '../../src/core/grant.ts'
import { digest } from '../../src/host/system/hash.ts'
import type { BatchEntry, FileChange, LandingEntry, SettledEntry } from '../../src/journal/entries/entry.ts'
import type { Append, Reliance, SessionLog } from '../../src/journal/log.ts'

const utf8 = new TextEncoder()

/** Bytes with the digest they are known by. */
export function content(text: string): { readonly bytes: Uint8Array; readonly digest: string } {
  const bytes = utf8.encode(text)
  return { bytes, digest: digest(bytes) }
}

/** An id that sorts by its number. */
export function execution(number: number): string {
  return `e${String(number).padStart(6, '0')}`
}

/** A batch of one call for each number. */
export function batchOf(batch: string, numbers: readonly number[]): BatchEntry {
  return {
    kind: 'batch',
    batch,
    turn: 't1',
    origin: 'person',
    actor: { id: 'ada' },
    calls: numbers.map((number) => ({
      execution: execution(number),
      id: `c${number}`,
      name: 'read_file',
      args: content(`args ${number}`).digest,
    })),
  }
}

/** The end of a call. */
export function settledOf(batch: string, number: number, changes: readonly FileChange[] = []): SettledEntry {
  return {
    kind: 'settled',
    batch,
    turn: 't1',
    execution: execution(number),
    name: 'read_file',
    version: '1.0.0',
    effect: changes.length === 0 ? 'read' : 'edit',
    moves: [{ state: 'DECLARED', at: 1 }],
    error: null,
    result: content(`result ${number}`).digest,
    output: null,
    capabilities: ['filesystem.read'],
    changes,
    gates: [{ gate: 'schema', fact: 'fits', verdict: 'pass' }],
    durationMs: 1,
  }
}

/** What a call changed on its layer, waiting for an answer. */
export function landingOf(number: number): LandingEntry {
  return {
    kind: 'landing',
    batch: `b${number}`,
    execution: execution(number),
    layer: 'overlay',
    startedMs: 1,
    changes: [changeOf('a', 'x', 'y')],
    durationMs: 1,
    rest: content('rest').digest,
  }
}

/** A change of one file from one text to another. */
export function changeOf(path: string, before: string | null, after: string | null): FileChange {
  return { root: '/r', path, before: stateOf(before), after: stateOf(after), folders: [] }
}

function stateOf(text: string | null): FileChange['before'] {
  return text === null ? null : { digest: content(text).digest, mode: 0o644, uid: 0, gid: 0 }
}

/** Contents by digest, as an append takes them. */
export function payloadsOf(...texts: readonly string[]): Map<string, Uint8Array> {
  return new Map(texts.map((text) => [content(text).digest, content(text).bytes]))
}

/** Records the call with this number, as far as received. */
export function declareCall(log: SessionLog, number: number): void {
  const what: Append = {
    entries: [batchOf(`b${number}`, [number])],
    payloads: payloadsOf(`args ${number}`),
    reliance: 'recorded',
  }
  log.append(what)
}

/** Records a whole call. */
export function recordCall(
  log: SessionLog,
  number: number,
  changes: readonly FileChange[] = [],
  reliance: Reliance = 'recorded',
): void {
  declareCall(log, number)
  log.append({
    entries: [settledOf(`b${number}`, number, changes)],
    payloads: payloadsOf(`result ${number}`),
    reliance,
  })
}

/** A grant that never ends. */
export const SAMPLE_GRANT: Grant = {
  id: 'g1',
  tool: 'write_file',
  scope: { kind: 'path', glob: 'src/**' },
  sentence: 'write_file may run without a question on paths that match src/**.',
  granted_by: 'ada',
  granted_at: 1000,
  expires_at: null,
  used: 0,
  revoked_at: null,
}
