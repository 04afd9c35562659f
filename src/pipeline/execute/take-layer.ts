import { LISTED_CHANGES } from '../../config/fixed-values.ts'
import type { DiffHunks } from '../../core/approval.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { byteLength } from '../../core/text/truncate.ts'
import type { Tool } from '../../core/tool.ts'
import type { Layer } from '../../core/layer.ts'
import type { LayerHunks } from '../../workspace/staging/layer-hunks.ts'
import type { LayerRead } from '../../workspace/layers/layer-read.ts'
import type { LayerPartTaken } from '../../workspace/staging/take-layer-hunks.ts'
import type { StagedContent } from '../../workspace/staging/staged-content.ts'
import type { Engine, Run } from '../engine.ts'
import type { CallLayer } from './call-layer.ts'
import type { Preview } from './preview.ts'

/** What the processes of a call changed on their layer. */
export interface TakenLayer {
  readonly layer: Layer
  readonly read: LayerRead
  readonly notes: readonly string[]
  /** What a result says anyway and a question has to say as well. */
  readonly remarks: readonly string[]
}

/** Reads what the processes of a call changed; null if they had no layer. One without changes is dropped at once. */
export async function takeLayer(callLayer: CallLayer, { engine, signal }: Run): Promise<TakenLayer | null> {
  const layer = callLayer.current()
  if (layer === null) return null
  const read = await engine.workspace.readLayer(layer, signal)
  if (read.changes.length === 0) await callLayer.discard()
  const notes = [...read.notes, ...(await remarkOn(read.contents, engine))]
  return { layer, read, notes, remarks: callLayer.notes() }
}

/** What checks say about contents. A command's own work is not refused for it: a formatter may well have left it so. */
async function remarkOn(contents: readonly StagedContent[], engine: Engine): Promise<readonly string[]> {
  if (contents.length === 0) return []
  const { refusal, notes } = await engine.checkContent(contents)
  return refusal === null ? notes : [refusal.message, ...notes]
}

/** What would land, as a question shows it. */
export function showLanding(
  { read, notes, remarks }: TakenLayer,
  { digest }: Engine,
): Preview & { is: 'shown' } {
  const { changes, shown, diff, hunks, bytes, leftOut } = read
  const left = leftOut.map(({ path, why }) => `${showPath(path)} does not land: ${why}.`)
  return {
    is: 'shown',
    diff,
    ...(hunks === null || hunks.lines.length === 0 ? {} : { hunks: offerHunks(hunks) }),
    places: changes.map(({ root, path }) => `${root}/${path}`),
    notes: [...remarks, ...notes, ...left, ...noteStored(hunks)],
    landing: { changes: shown, size: bytes, digest: digest(JSON.stringify(changes)) },
  }
}

/** A choice has to be made knowing that a commit has its own copies of files. */
function noteStored(hunks: LayerHunks | null): readonly string[] {
  if (hunks === null || hunks.lines.length < 2) return []
  const stored = new Map(hunks.changes.flatMap(({ git, first }) => (git === undefined ? [] : [[git, first]])))
  return [...stored].map(
    ([git, hunk]) =>
      `Hunk ${hunk} is what git stored in ${showPath(git)}, as a whole: what you leave out of files may be committed or staged there.`,
  )
}

function offerHunks({ lines, together }: LayerHunks): DiffHunks {
  return together.length === 0 ? { lines } : { lines, together }
}

/** Adds to the result of a tool that declares it what its processes changed. */
export function withChanges(
  tool: Tool,
  output: JsonObject,
  taken: TakenLayer | null,
  { isDry, maxBytes }: { readonly isDry: boolean; readonly maxBytes: number },
): JsonObject {
  if (!declaresLayer(tool)) return output
  if (taken === null) return { ...output, layer: 'none' }
  const { read, layer } = taken
  const { shown, leftOut, thrownAway, diff } = read
  const facts: JsonObject = {
    ...output,
    layer: layer.rung,
    ...(leftOut.length === 0
      ? {}
      : { left_out: leftOut.slice(0, LISTED_CHANGES).map((one) => ({ ...one })) }),
    ...(thrownAway === 0 ? {} : { thrown_away: thrownAway }),
  }
  const room = Math.max(
    0,
    maxBytes - byteLength(JSON.stringify({ ...facts, dry_run: true, changes_total: 0 })),
  )
  const dry: JsonObject = isDry ? { dry_run: true, ...(byteLength(diff) < room / 2 ? { diff } : {}) } : {}
  const changes = fitting(shown, room - byteLength(JSON.stringify(dry)))
  return {
    ...facts,
    ...dry,
    changes,
    ...(changes.length < shown.length ? { changes_total: shown.length } : {}),
  }
}

function declaresLayer({ outputSchema }: Tool): boolean {
  const { properties } = outputSchema as { readonly properties?: unknown }
  return isJsonObject(properties) && 'layer' in properties
}

/** As many changes as fit. */
function fitting(all: readonly (LayerRead['shown'][number] | JsonObject)[], room: number): JsonObject[] {
  const kept: JsonObject[] = []
  let left = room
  for (const change of all.slice(0, LISTED_CHANGES)) {
    left -= byteLength(JSON.stringify(change)) + 1
    if (left < 0) break
    kept.push({ ...change })
  }
  return kept
}

/** The result of a call of whose changes only a part lands. */
export function withPart(
  output: JsonObject,
  { shown, leftOut }: Pick<LayerPartTaken, 'shown' | 'leftOut'>,
  maxBytes: number,
): JsonObject {
  const { changes, changes_total: _total, left_out: before, ...rest } = output
  const left: readonly JsonObject[] = leftOut.map(({ path, hunks }) => ({ path, hunks: [...hunks] }))
  const room = maxBytes - byteLength(JSON.stringify({ ...rest, partial: true, changes_total: 0 }))
  const left_out = fitting([...left, ...(Array.isArray(before) ? before.filter(isJsonObject) : [])], room / 2)
  const facts = { ...rest, partial: true, left_out }
  if (changes === undefined) return facts
  const listed = fitting(shown, room - byteLength(JSON.stringify(left_out)))
  return {
    ...facts,
    changes: listed,
    ...(listed.length < shown.length ? { changes_total: shown.length } : {}),
  }
}

/** How many files and links vanish. */
export function countDeletions({ read }: TakenLayer): number {
  return read.shown.filter(({ change }) => change === 'deleted').length
}
