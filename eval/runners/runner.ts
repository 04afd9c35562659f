/** Where a runner works, and who answers it. */
export interface Place {
  readonly root: string
  /** A home of its own, so that no configuration of the user's plays a part. */
  readonly home: string
  /** The base URL of the model server, ending in `/v1`. */
  readonly url: string
  /** The provider whose API the server speaks, and the name of the model. */
  readonly provider: string
  readonly model: string
}

/** How a program is started. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What happened to the calls of a model. */
export interface CallTally {
  readonly calls: number
  /** Calls that did not do what they were asked; a command or a test that ran and failed is not among them. */
  readonly failed: number
  /** How often a person would have been asked. */
  readonly questions: number
}

/** A coding agent that takes a prompt on the command line. */
export interface Runner {
  readonly name: string
  /** Makes it ready, and gives its version. */
  readonly prepare: () => string
  /** Writes what it needs into its home. */
  readonly configure: (place: Place) => void
  /** One turn: the first of a task, or one that goes on. */
  readonly command: (place: Place, prompt: string, isFirst: boolean) => Command
  /** Reads what it printed over all turns. */
  readonly tally: (printed: string) => CallTally
}

/** The objects of printed lines of JSON; a line that was torn by a kill is left out. */
export function linesOfJson<T>(printed: string): readonly T[] {
  return printed.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    try {
      return [JSON.parse(line) as T]
    } catch {
      return []
    }
  })
}
