import * as fc from 'fast-check'
import { CAPABILITIES } from '../../src/core/capability.ts'
import { toolError } from '../../src/core/error.ts'
import type { CallFacts, ToolFact } from '../../src/policy/facts.ts'
import { addressOf, EDITOR, GOOD, OUTSIDE } from './sample-facts.ts'

const NAMES = ['read_file', 'write_file', 'run_command', 'run_shell', 'src'] as const

const rarely = <T>(usual: T, odd: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(odd) })

const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 10, arbitrary: usual }, { weight: 1, arbitrary: odd })

const tool: fc.Arbitrary<ToolFact> = fc.record({
  name: fc.constant('a'),
  version: fc.constant('1.0.0'),
  effect: fc.constantFrom('read', 'edit', 'spawn', 'external'),
  risk: fc.constantFrom('Low', 'Medium', 'High'),
  requiresApproval: fc.boolean(),
  capabilities: mostly(fc.constant(EDITOR.capabilities), fc.subarray([...CAPABILITIES])),
  isSandboxed: fc.boolean(),
  command: fc.constant(null),
  extraAccess: fc.constant(null),
  webAddress: mostly<ToolFact['webAddress']>(
    fc.constant(null),
    fc.constantFrom(addressOf('https://example.com/a'), addressOf('http://127.0.0.1:8080/')),
  ),
})

/** Anything that may be known of a call; most calls have nothing wrong with them, so that late gates are reached. */
export const randomFacts: fc.Arbitrary<CallFacts> = fc.record({
  origin: fc.constantFrom('person', 'model', 'runtime'),
  isDryRun: rarely(false, true),
  name: fc.constantFrom(...NAMES),
  available: fc.constant(GOOD.available),
  nearestName: fc.constant(null),
  lookupAdvice: fc.constant([]),
  position: mostly(fc.integer({ min: 1, max: 4 }), fc.constantFrom(8, 9, 32, 33)),
  iteration: mostly(fc.integer({ min: 1, max: 3 }), fc.constantFrom(4, 5, 50, 51)),
  id: fc.constant('c1'),
  sameId: rarely(1, 2),
  envelope: rarely<readonly string[]>([], ['args must be an object']),
  argsBytes: mostly(fc.integer({ min: 2, max: 500 }), fc.constantFrom(262_144, 262_145)),
  separateArguments: rarely<CallFacts['separateArguments']>(
    [],
    [{ argument: 'patch', bytes: 2, key: 'tools.apply_patch.max_patch_bytes', limit: 3 }],
  ),
  oversized: rarely<CallFacts['oversized']>(
    [],
    [{ argument: 'patch', bytes: 2, key: 'tools.apply_patch.max_patch_bytes', limit: 1 }],
  ),
  tool: fc.oneof({ weight: 30, arbitrary: tool }, { weight: 1, arbitrary: fc.constant(null) }),
  argumentProblems: rarely<readonly string[]>([], ['args needs "path"']),
  argumentError: rarely<CallFacts['argumentError']>(null, toolError('patch_failed', 'no')),
  claims: rarely(GOOD.claims, OUTSIDE),
  shell: fc.constant(GOOD.shell),
  extraPaths: fc.constant(GOOD.extraPaths),
  grant: fc.constant(GOOD.grant),
  ignoredGrants: fc.constant(GOOD.ignoredGrants),
  changedStart: fc.option(fc.constant('it would start something else now')),
  rules: fc.constant(GOOD.rules),
  gates: fc.constant(GOOD.gates),
  resources: fc.constant(GOOD.resources),
})
