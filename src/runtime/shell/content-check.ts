import type { Settings } from '../../config/keys.ts'
import type { Engine } from '../../pipeline/engine.ts'

/** Checks staged contents. The code is loaded with the first edit, because most commands make none. */
export function contentCheckFor(settings: Settings): Engine['checkContent'] {
  const loading = once(async () => {
    const [{ checkStaged }, { describeTreeFault }, { createTreeParser }] = await Promise.all([
      import('../../tools/checks/check-staged.ts'),
      import('../../tools/checks/syntax-problem.ts'),
      import('../../host/search/syntax-tree.ts'),
    ])
    return { checkStaged, describeTreeFault, parse: createTreeParser() }
  })
  return async (staged) => {
    const { checkStaged, describeTreeFault, parse } = await loading()
    return checkStaged(staged, settings, async (grammar, text) => {
      const faults = await parse(grammar, text)
      return faults === null ? null : faults.map((fault) => describeTreeFault(text, grammar, fault))
    })
  }
}

type Verdict = Awaited<ReturnType<Engine['checkContent']>>

/** Adds warnings to a verdict that accepts the files. */
export async function withWarnings(
  verdict: Verdict,
  warn: () => Promise<readonly string[]>,
): Promise<Verdict> {
  if (verdict.refusal !== null) return verdict
  const warnings = await warn()
  return warnings.length === 0 ? verdict : { ...verdict, notes: [...verdict.notes, ...warnings] }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make()
    return made
  }
}
