import type { ToolResult } from '../../src/core/result.ts'
import type { Person } from './person.ts'
import type { Place } from './place.ts'
import type { FaceName, Scenario, ScenarioCall } from './scenario.ts'

/**
 * A way into Tongs, as the scenarios drive it. To add one, write a file in `faces` that implements `Face` with the means
 * of its clients (never with those of the runtime), put it into `FACES` of `scenarios.test.ts`, and its name into `FaceName`. Nothing else is
 * needed: results, files, audit trail and log are compared with those of the library.
 *
 * A face returns what its client was given, as our result. Where it cannot express a scenario at all, the scenario names
 * it in `cannot`, with the reason.
 */
export interface Face {
  readonly name: FaceName
  /**
   * Whether the calls of a message stay one batch, and each message is a turn. If not, it is compared with the library
   * making each call alone, all of them in one turn.
   */
  readonly hasBatches: boolean
  /** Who its calls come from, as it is recorded; what goes to a model is treated with more care. */
  readonly origin: 'person' | 'model'
  /** Whether its clients are given the text that a model reads of each result; they are if absent. */
  readonly hasText?: false
  /** Opens the workspace of a scenario, whose steps are known beforehand because a scripted model needs them. */
  readonly open: (place: Place, scenario: Scenario) => Promise<OpenFace>
}

/** A workspace that is open in a face, with one session. */
export interface OpenFace {
  /**
   * Makes the calls of one message and answers the questions with the person. Returns what came of each call: null if the
   * client is given nothing, as for a call that it has cancelled itself.
   */
  readonly run: (calls: readonly ScenarioCall[], how: RunHow) => Promise<readonly (ToolResult | null)[]>
  /** Lets the person answer what waits; returns the rows of the batch that waited. */
  readonly answer: (person: Person) => Promise<readonly (ToolResult | null)[]>
  /** Undoes as the person does in this face; throws if that fails. */
  readonly undo: (choice: UndoChoice) => Promise<void>
  readonly redo: () => Promise<void>
  /** Leaves; the session can then be read by others. */
  readonly close: () => Promise<void>
}

/** How calls are made. */
export interface RunHow {
  readonly person: Person
  /** Set if the run is going to be cancelled, and aborted when that is due. */
  readonly cancel: AbortSignal | null
  /** How the library makes the calls in place of another face: as that one does. */
  readonly like: Likeness
}

/** In what the library follows the face that it is compared with. */
export type Likeness = Pick<Face, 'hasBatches' | 'origin'>

/** What to undo; the newest call if neither is given. */
export interface UndoChoice {
  readonly last?: number
  readonly isTurn?: true
}
