import type { Scenario } from '../scenario.ts'
import { asked, call, calls, read, write } from './make-call.ts'

const DONE = { state: 'COMPLETED' } as const
const REFUSED = { state: 'DENIED', code: 'rule_violation' } as const

/** Rules, most of which remember. */
export const RULE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a denied tool is denied',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.approval.denylist': ['glob'] },
    steps: [calls(call('glob', { patterns: ['*'] }), read('a.txt'))],
    rows: [{ state: 'DENIED', code: 'denylisted' }, DONE],
  },
  {
    name: 'a tool that may be called only so often is refused beyond that',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.rules': [{ tool: 'read_file', type: 'MaxCalls', max: 2 }] },
    steps: [calls(read('a.txt'), read('none.txt'), read('a.txt'), call('glob', { patterns: ['*'] }))],
    rows: [DONE, { state: 'ROLLED_BACK', code: 'execution_failed' }, REFUSED, DONE],
  },
  {
    name: 'a tool that has to rest is refused meanwhile, across turns',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.rules': [{ tool: 'read_file', type: 'Cooldown', seconds: 3600 }] },
    steps: [calls(read('a.txt')), calls(read('a.txt'))],
    rows: [DONE, REFUSED],
  },
  {
    name: 'a call whose required call is missing is refused, until it was made',
    files: { 'a.txt': 'alpha\n' },
    preset: 'edits',
    settings: { 'tools.rules': [{ tool: 'write_file', type: 'RequiresPrecedingTools', tools: ['glob'] }] },
    steps: [calls(write('b.txt', 'one\n'), call('glob', { patterns: ['*'] }), write('b.txt', 'two\n'))],
    rows: [REFUSED, DONE, DONE],
    changed: { 'b.txt': 'two\n' },
  },
  {
    name: 'a call that has just succeeded is not repeated, but answered from the log',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.rules': [{ tool: 'read_file', type: 'AlwaysDedupe' }] },
    steps: [
      calls(read('a.txt')),
      calls(read('a.txt')),
      calls(call('read_file', { path: 'a.txt', start_line: 1 })),
    ],
    rows: [DONE, { state: 'DENIED', code: 'deduplicated' }, DONE],
  },
  {
    name: 'a missing first call is made by the runtime after two refusals',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.rules': [{ tool: 'list_files', type: 'StartConstraint' }] },
    steps: [calls(read('a.txt'), read('a.txt'), read('a.txt'))],
    rows: [REFUSED, REFUSED, DONE],
  },
  {
    name: 'an operation that is not allowed is refused',
    files: {},
    preset: 'edits',
    settings: { 'tools.rules': [{ tool: 'task', type: 'AllowedOperations', operations: ['list'] }] },
    steps: [calls(call('task', { action: 'list' }), call('task', { action: 'create', title: 'a' }))],
    rows: [DONE, REFUSED],
  },
  {
    name: 'a rule that wants consent asks even where edits are free',
    files: {},
    preset: 'edits',
    settings: { 'tools.rules': [{ tool: 'write_file', type: 'RequiresConsent', scope: 'the notes' }] },
    steps: [asked(['yes', { no: 'once is enough' }], write('a.txt', 'a\n'), write('b.txt', 'b\n'))],
    rows: [DONE, { state: 'DENIED', code: 'approval_denied', says: 'once is enough' }],
    changed: { 'a.txt': 'a\n' },
    questions: 2,
  },
]
