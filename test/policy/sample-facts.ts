import { readWebAddress } from '../../src/core/web/web-address.ts'
import type { WebAddress } from '../../src/core/web/web-address.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { Settings } from '../../src/config/keys.ts'
import { toolError } from '../../src/core/error.ts'
import type { CallFacts, ToolFact } from '../../src/policy/facts.ts'
import { judge } from '../../src/policy/judge.ts'
import type { Judgement } from '../../src/policy/judge.ts'

/** What is known of a tool that changes files. */
export const EDITOR: ToolFact = {
  name: 'editor',
  version: '1.0.0',
  effect: 'edit',
  risk: 'Medium',
  requiresApproval: false,
  capabilities: ['filesystem.read', 'filesystem.write'],
  isSandboxed: false,
  command: null,
  extraAccess: null,
  webAddress: null,
}

/** A call of that tool with nothing wrong about it. */
export const GOOD: CallFacts = {
  origin: 'person',
  isDryRun: false,
  name: 'editor',
  available: ['editor', 'read_file'],
  nearestName: null,
  lookupAdvice: [],
  position: 1,
  iteration: 1,
  id: 'c1',
  sameId: 1,
  envelope: [],
  argsBytes: 10,
  separateArguments: [],
  oversized: [],
  tool: EDITOR,
  argumentProblems: [],
  argumentError: null,
  claims: [
    {
      claim: { path: 'a.txt', intent: 'write' },
      resolved: 'a.txt',
      absolute: '/w/a.txt',
      isFolder: false,
      error: null,
    },
  ],
  shell: null,
  extraPaths: [],
  grant: null,
  ignoredGrants: 0,
  changedStart: null,
  rules: null,
  gates: null,
  resources: null,
}

/** A call whose path leads out. */
export const OUTSIDE: CallFacts['claims'] = [
  {
    claim: { path: '../x', intent: 'write' },
    resolved: null,
    absolute: null,
    isFolder: false,
    error: toolError('path_outside_sandbox', 'out'),
  },
]

/** Settings with some of them changed. */
export async function settingsWith(
  given: Readonly<Record<string, unknown>> = {},
  profile?: 'strict',
): Promise<Settings> {
  const loaded = await loadSettings({ env: {}, set: [], given, profile })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.settings
}

/** What the gates say about a call under changed facts and settings. */
export async function judgeWith(
  facts: Partial<CallFacts>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Judgement> {
  return judge({ ...GOOD, ...facts }, await settingsWith(given))
}

/** In one word: run, ask, or the code it ended with. */
export async function wordFor(
  facts: Partial<CallFacts>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { verdict, error } = await judgeWith(facts, given)
  return error === null ? verdict : error.code
}

/** An address on the web that must be one. */
export function addressOf(text: string): WebAddress {
  const read = readWebAddress(text)
  if (!read.ok) throw new Error(read.why)
  return read.address
}
