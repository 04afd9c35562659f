import type { GateSetting } from '../../config/kinds/gates-kind.ts'

const tests = new WeakMap<GateSetting, RegExp>()

/** The gates that are asked about calls of a tool, in order. */
export function applyingGates(gates: readonly GateSetting[], tool: string): readonly GateSetting[] {
  return gates.length === 0 ? gates : gates.filter((gate) => testOf(gate).test(tool))
}

function testOf(gate: GateSetting): RegExp {
  const known = tests.get(gate)
  if (known !== undefined) return known
  const patterns = gate.tools.map((pattern) =>
    pattern.replaceAll(/[*?.]/g, (sign) => (sign === '*' ? '.*' : sign === '?' ? '.' : '\\.')),
  )
  const test = new RegExp(`^(?:${patterns.join('|')})$`, 's')
  tests.set(gate, test)
  return test
}
