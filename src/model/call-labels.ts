const NAME_CHARS = 64

/** What a provider takes as the id of a call; it refuses the whole request over one that it does not take. */
export interface IdRules {
  readonly pattern: RegExp
  /** Whether an id may stand only once in a request, and not just in a message. */
  readonly isOncePerRequest: boolean
}

/** Gives calls, and the results that follow them, the ids under which they are sent. */
export interface CallLabels {
  /** A message of the model begins. */
  readonly begin: () => void
  readonly ofCall: (id: string) => string
  /** Calls that carry the same id have their results in the same order. */
  readonly ofResult: (id: string) => string
  /** A name that the model made up may have signs that no provider takes. */
  readonly ofName: (name: string) => string
}

/**
 * Ids are sent as they are where the provider takes them. The others, such as those of another model, become labels that
 * depend only on what stands before, so that a longer conversation still begins with the shorter one.
 */
export function createCallLabels(
  { pattern, isOncePerRequest }: IdRules,
  tools: readonly { readonly name: string }[],
): CallLabels {
  const advertised = new Set(tools.map(({ name }) => name))
  const used = new Set<string>()
  let waiting = new Map<string, string[]>()
  let count = 0

  function choose(id: string): string {
    if (pattern.test(id) && !used.has(id)) return id
    let label = `call_${count}`
    while (used.has(label)) label += '_'
    return label
  }

  return {
    begin: () => {
      waiting = new Map()
      if (!isOncePerRequest) used.clear()
    },
    ofCall: (id) => {
      count += 1
      const label = choose(id)
      used.add(label)
      waiting.set(id, [...(waiting.get(id) ?? []), label])
      return label
    },
    ofResult: (id) => waiting.get(id)?.shift() ?? id,
    ofName: (name) =>
      advertised.has(name) ? name : name.replace(/[^\w-]/g, '_').slice(0, NAME_CHARS) || 'unnamed',
  }
}
