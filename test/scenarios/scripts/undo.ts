import type { Scenario } from '../scenario.ts'
import { asked, call, calls, read, shell, write } from './make-call.ts'

const DONE = { state: 'COMPLETED' } as const

/** Undo and redo by the person. */
export const UNDO_SCENARIOS: readonly Scenario[] = [
  {
    name: 'the person undoes an edit',
    files: { 'a.txt': 'alpha\n' },
    preset: 'edits',
    steps: [calls(read('a.txt'), write('a.txt', 'beta\n'), write('b.txt', 'new\n')), { do: 'undo', last: 1 }],
    rows: [DONE, DONE, DONE],
    changed: { 'a.txt': 'beta\n' },
  },
  {
    name: 'the person undoes two edits and brings them back',
    files: { 'a.txt': 'alpha\n' },
    preset: 'edits',
    steps: [
      asked(['yes'], call('move_path', { from: 'a.txt', to: 'b.txt' }), write('c.txt', 'new\n')),
      { do: 'undo', last: 2 },
      { do: 'redo' },
    ],
    rows: [DONE, DONE],
    changed: { 'a.txt': null, 'b.txt': 'alpha\n', 'c.txt': 'new\n' },
    questions: 1,
  },
  {
    name: 'the person undoes a whole turn',
    files: { 'a.txt': 'alpha\n' },
    preset: 'edits',
    steps: [
      calls(read('a.txt'), write('a.txt', 'beta\n'), write('b.txt', 'new\n')),
      { do: 'undo', isTurn: true },
    ],
    rows: [DONE, DONE, DONE],
  },
  {
    name: 'the person undoes what a command changed, and the next call finds it so',
    files: { 'a.txt': 'alpha\n' },
    steps: [
      asked(['yes'], shell('echo beta > a.txt; echo new > b.txt')),
      { do: 'undo' },
      calls(read('a.txt'), read('b.txt')),
    ],
    rows: [DONE, { ...DONE, says: 'alpha' }, { state: 'ROLLED_BACK', code: 'execution_failed' }],
    questions: 1,
  },
]
