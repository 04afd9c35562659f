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
  return new PreparedLayer(execution, shell, mayRunDry)
}

/** A class, because one is made for every call and few calls use it. */
class PreparedLayer implements CallLayer {
  readonly mayRunDry: boolean
  readonly #execution: string
  readonly #shell: Shell
  #opening: Promise<Layer | null> | null = null
  #layer: Layer | null = null
  #isUsed = false
  #isDropped = false
  #isAsked = false
  #notes: readonly string[] = []

  constructor(execution: string, shell: Shell, mayRunDry: boolean) {
    this.#execution = execution
    this.#shell = shell
    this.mayRunDry = mayRunDry
  }

  async open(): Promise<Layer | null> {
    this.#isUsed = true
    this.#opening ??= this.#shell.openLayer(this.#execution)
    this.#layer = await this.#opening
    return this.#layer
  }

  isUsed(): boolean {
    return this.#isUsed
  }

  isDropped(): boolean {
    return this.#isDropped
  }

  current(): Layer | null {
    return this.#layer
  }

  note(sentences: readonly string[]): void {
    this.#notes = [...this.#notes, ...sentences]
  }

  notes(): readonly string[] {
    return this.#notes
  }

  async discard(): Promise<void> {
    const dropped = this.#take()
    if (dropped !== null) await this.#shell.discardLayer(dropped)
  }

  noteAsked(): void {
    this.#isAsked = true
  }

  giveUpAsked(): Layer | null {
    return this.#isAsked ? this.#take() : null
  }

  /** Leaves none, so that a further attempt makes another. */
  #take(): Layer | null {
    const taken = this.#layer
    this.#layer = null
    this.#opening = null
    this.#isDropped ||= taken !== null
    return taken
  }
}
