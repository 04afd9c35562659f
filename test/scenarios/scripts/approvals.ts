import type { Scenario } from '../scenario.ts'
import { asked, call, calls, read, write } from './make-call.ts'

const DONE = { state: 'COMPLETED' } as const
const DENIED = { state: 'DENIED', code: 'approval_denied' } as const
const WAITING = { state: 'VALIDATED', code: 'approval_required' } as const
const lines = (...changed: readonly number[]): string =>
  Array.from({ length: 30 }, (_, at) => `${changed.includes(at + 1) ? 'LINE' : 'line'} ${at + 1}\n`).join('')

/** Questions and answers. */
export const APPROVAL_SCENARIOS: readonly Scenario[] = [
  {
    name: 'an edit that is approved is made',
    files: {},
    steps: [asked(['yes'], write('b.txt', 'beta\n'))],
    rows: [DONE],
    changed: { 'b.txt': 'beta\n' },
    questions: 1,
  },
  {
    name: 'an edit that is refused leaves nothing, and the words of the no reach the model',
    files: {},
    steps: [asked([{ no: 'not on a Monday' }], write('b.txt', 'beta\n'))],
    rows: [{ ...DENIED, says: 'not on a Monday' }],
    questions: 1,
  },
  {
    name: 'of two edits one is approved and one is refused',
    files: {},
    steps: [asked(['no', 'yes'], write('a.txt', 'alpha\n'), write('b.txt', 'beta\n'))],
    rows: [DENIED, DONE],
    changed: { 'b.txt': 'beta\n' },
    questions: 2,
  },
  {
    name: 'of an edit only the approved hunks are made, and the model is told',
    files: { 'a.txt': lines() },
    steps: [calls(read('a.txt')), asked([{ hunks: [2] }], write('a.txt', lines(2, 28)))],
    rows: [DONE, { ...DONE, says: 'took only part of this change' }],
    changed: { 'a.txt': lines(28) },
    questions: 1,
  },
  {
    name: 'what is allowed for a scope is not asked about again',
    files: {},
    steps: [asked([{ offer: 1 }], write('a.txt', 'alpha\n')), calls(write('a.txt', 'other\n'))],
    rows: [DONE, DONE],
    changed: { 'a.txt': 'other\n' },
    questions: 1,
  },
  {
    name: 'what is allowed for a time is not asked about again',
    files: {},
    settings: { 'tools.approval.grant_seconds': 900 },
    steps: [asked([{ seconds: 900 }], write('a.txt', 'alpha\n')), calls(write('b.txt', 'beta\n'))],
    rows: [DONE, DONE],
    changed: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' },
    questions: 1,
  },
  {
    name: 'an edit that was put off waits, and is made once it is approved',
    files: {},
    steps: [asked('later', write('a.txt', 'alpha\n')), { do: 'answer', answers: ['yes'] }],
    rows: [WAITING, DONE],
    changed: { 'a.txt': 'alpha\n' },
    questions: 1,
  },
  {
    name: 'an edit that was put off and is refused leaves nothing',
    files: {},
    steps: [asked('later', write('a.txt', 'alpha\n')), { do: 'answer', answers: [{ no: 'too late' }] }],
    rows: [WAITING, { ...DENIED, says: 'too late' }],
    questions: 1,
  },
  {
    name: 'of an edit that was put off only the approved hunks are made',
    files: { 'a.txt': lines() },
    steps: [
      calls(read('a.txt')),
      asked('later', write('a.txt', lines(2, 28))),
      { do: 'answer', answers: [{ hunks: [1] }] },
    ],
    rows: [DONE, WAITING, { ...DONE, says: 'took only part of this change' }],
    changed: { 'a.txt': lines(2) },
    questions: 1,
  },
  {
    name: 'what was put off and is then allowed for a scope is not asked about again',
    files: {},
    steps: [
      asked('later', write('a.txt', 'alpha\n')),
      { do: 'answer', answers: [{ offer: 1 }] },
      calls(write('a.txt', 'other\n')),
    ],
    rows: [WAITING, DONE, DONE],
    changed: { 'a.txt': 'other\n' },
    questions: 1,
  },
  {
    name: 'a file that changed before the answer is not edited',
    files: { 'a.txt': 'alpha\n' },
    steps: [
      calls(read('a.txt')),
      asked(
        [{ after: { 'a.txt': 'alpha, and mine\n' }, answer: 'yes' }],
        call('edit_file', { path: 'a.txt', old: 'alpha', new: 'beta' }),
      ),
    ],
    rows: [DONE, { state: 'ROLLED_BACK', code: 'stale_file' }],
    changed: { 'a.txt': 'alpha, and mine\n' },
    questions: 1,
  },
  {
    name: 'a model is given a secret only if the person says so',
    files: { 'a.txt': `token = "ghp_${'a1B2'.repeat(9)}"\n` },
    steps: [asked(['yes'], read('a.txt')), asked(['no'], read('a.txt'))],
    rows: [
      { ...DONE, says: 'ghp_a1B2' },
      { ...DONE, says: 'removed' },
    ],
    questions: 2,
    cannot: { mcp: 'every question of its clients waits, and one about a result cannot' },
  },
  {
    name: 'where calls are only parsed, those of a model are held',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.mode': 'parse_only' },
    steps: [calls(read('a.txt'))],
    rows: [{ state: 'VALIDATED', code: 'held' }],
  },
  {
    name: 'a plan only reads',
    files: { 'a.txt': 'alpha\n' },
    preset: 'plan',
    steps: [calls(read('a.txt'), write('b.txt', 'beta\n'))],
    rows: [DONE, { state: 'DENIED', code: 'not_allowed' }],
  },
]
