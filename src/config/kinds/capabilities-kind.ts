import { CAPABILITY_WORDS, expandCapability } from '../../core/capability.ts'
import { list } from './collection-kinds.ts'
import type { Fault, Reading, Tightened, ValueKind } from './value-kind.ts'

const texts = list({ tighter: 'subset' })

/** Capabilities that tools may have: individual ones, or whole branches with a star. */
export function capabilities(): ValueKind<readonly string[]> {
  return {
    type: 'list',
    tighter: 'subset',
    expected: 'a list of capabilities, such as "filesystem.read" or "state.*"',
    words: CAPABILITY_WORDS,
    read,
    layer: (_base, next) => next,
    tighten,
    schema: () => ({
      type: 'array',
      items: { enum: [...CAPABILITY_WORDS], description: 'One capability, or a branch of them.' },
    }),
  }
}

function read(raw: unknown): Reading<readonly string[]> {
  const reading = texts.read(raw)
  if (!reading.ok) return reading
  const faults = reading.value.flatMap((word, index): readonly Fault[] =>
    expandCapability(word).length > 0
      ? []
      : [
          {
            path: [index],
            message: 'there is no such capability',
            found: { value: word },
            meant: { given: word, among: CAPABILITY_WORDS },
            hint: `there are ${CAPABILITY_WORDS.join(', ')}`,
          },
        ],
  )
  return faults.length > 0 ? { ok: false, faults } : reading
}

/** What both grant. A branch that is only partly in effect is split up. */
function tighten(base: readonly string[], proposed: readonly string[]): Tightened<readonly string[]> {
  const inForce = new Set(base.flatMap(expandCapability))
  const isInside = (word: string): boolean => expandCapability(word).every((one) => inForce.has(one))
  const value = proposed.flatMap((word) =>
    isInside(word) ? [word] : expandCapability(word).filter((one) => inForce.has(one)),
  )
  const refused = proposed.filter((word) => !isInside(word))
  const allowed = [...new Set(value)]
  return refused.length === 0 ? { value: allowed } : { value: allowed, refused }
}
