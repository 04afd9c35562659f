import type { Layer } from '../../core/layer.ts'
import type { Shell } from '../engine.ts'

/** The layer that the processes of one call share; it is made with the first of them. */
export interface CallLayer {
  /** Null if commands write to the workspace itself. */
  readonly open: () => Promise<Layer | null>
  /** Whether a process asked for it, so that one may have run. */
  readonly isUsed: () => boolean
  /** The layer if there is one now. */
  readonly current: () => Layer | null
  /** Notes what a process left on it that a person should know of before it lands. */
  readonly note: (sentences: readonly string[]) => void
  readonly notes: () => readonly string[]
  readonly discard: () => Promise<void>
  /** Notes that a question about it is on record, so that it has to last until the answer is. */
  readonly noteAsked: () => void
  /** Gives it up to whoever records the answer, if a question about it is on record; null if there is none. */
  readonly giveUpAsked: () => Layer | null
  /** Whether there was one and it is gone, with all that was on it. */
  readonly isDropped: () => boolean
  /** Whether processes may run in a dry run, as nothing of theirs can land. */
  readonly mayRunDry: boolean
}

/** Prepares the layer of a call. */
export function createCallLayer(execution: string, shell: Shell, mayRunDry: boolean): CallLayer {
  let opening: Promise<Layer | null> | null = null
  let layer: Layer | null = null
  let isUsed = false
  let isDropped = false
  let isAsked = false
  /** Leaves none, so that a further attempt makes another. */
  const take = (): Layer | null => {
    const taken = layer
    layer = null
    opening = null
    isDropped ||= taken !== null
    return taken
  }
  const notes: string[] = []
  return {
    mayRunDry,
    async open() {
      isUsed = true
      opening ??= shell.openLayer(execution)
      layer = await opening
      return layer
    },
    isUsed: () => isUsed,
    isDropped: () => isDropped,
    current: () => layer,
    note: (sentences) => void notes.push(...sentences),
    notes: () => notes,
    async discard() {
      const dropped = take()
      if (dropped !== null) await shell.discardLayer(dropped)
    },
    noteAsked: () => void (isAsked = true),
    giveUpAsked: () => (isAsked ? take() : null),
  }
}
