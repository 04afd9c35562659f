const NAME_CHARS = 64

/** Which call ids a provider accepts; one that it does not accept makes it reject the whole request. */
export interface IdRules {
  readonly pattern: RegExp
  /** Whether an id must be unique in the whole request, not only in its message. */
  readonly isOncePerRequest: boolean
}

/** Assigns the ids under which calls and their results are sent. */
export interface CallLabels {
  /** Starts a message of the model. */
  readonly begin: () => void
  readonly ofCall: (id: string) => string
  /** Calls with the same id have their results in the same order. */
  readonly ofResult: (id: string) => string
  /** A name that the model invented may contain characters that no provider accepts. */
  readonly ofName: (name: string) => string
}

/**
 * Ids that the provider accepts are sent unchanged. The others, such as those of another model, become labels that
 * depend only on what comes before, so that a longer conversation still starts with the shorter one.
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
