import type { PresetName } from '../../src/config/presets.ts'
import type { JsonObject } from '../../src/core/json/value.ts'

/** A call of a scenario; its label is made by the face. */
export interface ScenarioCall {
  readonly name: string
  readonly args: JsonObject
}

/** What a person answers to one question. */
export type Answer =
  | 'yes'
  | 'no'
  | { readonly no: string }
  /** Only these hunks, counted from 1. */
  | { readonly hunks: readonly number[] }
  /** For the whole tool and this many seconds. */
  | { readonly seconds: number }
  /** Until it is revoked: the scope that is offered at this place, counted from 0. */
  | { readonly offer: number }

/** An answer, and what happens to the files before it is given. */
export type GivenAnswer =
  | Answer
  | { readonly after: Readonly<Record<string, string | null>>; readonly answer: Answer }

/** One thing that happens in a scenario. */
export type Step =
  /** The calls of one message, and the answers to the questions they raise, in order; `later` puts all of them off. */
  | {
      readonly do: 'calls'
      readonly calls: readonly ScenarioCall[]
      readonly answers?: readonly GivenAnswer[] | 'later'
      /** Cancels the run as soon as a process with this in its command line exists. */
      readonly cancelAt?: string
    }
  /** The answers to what was put off. */
  | { readonly do: 'answer'; readonly answers: readonly GivenAnswer[] }
  /** Someone else writes files, or deletes those that are null. */
  | { readonly do: 'put'; readonly files: Readonly<Record<string, string | null>> }
  | { readonly do: 'undo'; readonly last?: number; readonly isTurn?: true }
  | { readonly do: 'redo' }

/** What a call has to come to. */
export interface ExpectedRow {
  /** The state of the execution. */
  readonly state: string
  /** The code of the error; absent if there is none. */
  readonly code?: string
  /** A part of what a model reads. */
  readonly says?: string
}

/** The names of the faces. A new one gets its name here. */
export type FaceName = 'library' | 'command line' | 'mcp' | 'app' | 'acp'

/** One scenario: how it begins, what happens, and what has to come of it. It runs through every face. */
export interface Scenario {
  /** A sentence. */
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** Settings by dotted name, as in the user's own configuration. */
  readonly settings?: JsonObject
  readonly preset?: PresetName
  /** The configured MCP servers whose tools the user trusts from the start. */
  readonly trusted?: readonly string[]
  readonly steps: readonly Step[]
  /** One row per call, in order, as it stood at the end. */
  readonly rows: readonly ExpectedRow[]
  /** The files at the end that differ from those at the start; null is gone. */
  readonly changed?: Readonly<Record<string, string | null>>
  /** How many questions a person was asked. */
  readonly questions?: number
  /** The faces that have no way to express it, each with the reason. */
  readonly cannot?: Readonly<Partial<Record<FaceName, string>>>
}
