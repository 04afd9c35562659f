import type { Scenario } from '../scenario.ts'
import { asked, call, calls, shell, write } from './make-call.ts'

const DONE = { state: 'COMPLETED' } as const

/** Commands, and what they change. */
export const COMMAND_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a command that changes nothing runs without a question',
    files: { 'a.txt': 'alpha\n' },
    steps: [calls(shell('cat a.txt; echo two >&2; exit 3'))],
    rows: [{ ...DONE, says: 'alpha' }],
  },
  {
    name: 'what a command changed lands once it is approved',
    files: { 'a.txt': 'alpha\n' },
    steps: [asked(['yes'], shell('echo beta > a.txt; mkdir d; echo new > d/b.txt'))],
    rows: [DONE],
    changed: { 'a.txt': 'beta\n', 'd/b.txt': 'new\n' },
    questions: 1,
  },
  {
    name: 'what a command changed is discarded if it is refused',
    files: { 'a.txt': 'alpha\n' },
    steps: [asked([{ no: 'leave it' }], shell('echo beta > a.txt; echo said'))],
    rows: [{ state: 'ROLLED_BACK', code: 'approval_denied', says: 'leave it' }],
    questions: 1,
  },
  {
    name: 'what a command changed waits, and lands once it is approved',
    files: { 'a.txt': 'alpha\n' },
    steps: [asked('later', shell('echo beta > a.txt')), { do: 'answer', answers: ['yes'] }],
    rows: [{ state: 'EXECUTING', code: 'approval_required' }, DONE],
    changed: { 'a.txt': 'beta\n' },
    questions: 1,
  },
  {
    name: 'what a command changed does not land on what changed beside it',
    files: { 'a.txt': 'alpha\n' },
    steps: [asked([{ after: { 'a.txt': 'mine\n' }, answer: 'yes' }], shell('echo beta > a.txt'))],
    rows: [{ state: 'ROLLED_BACK', code: 'stale_file' }],
    changed: { 'a.txt': 'mine\n' },
    questions: 1,
  },
  {
    name: 'calls after a command see what landed',
    files: { 'a.txt': 'alpha\n' },
    steps: [asked(['yes', 'yes'], shell('echo beta > a.txt'), shell('tr a-z A-Z < a.txt > b.txt'))],
    rows: [DONE, DONE],
    changed: { 'a.txt': 'beta\n', 'b.txt': 'BETA\n' },
    questions: 2,
  },
  {
    name: 'a command line is asked about before it runs, and that yes covers what it changes',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.run_command.enabled': true },
    steps: [
      asked(
        ['yes', 'no'],
        call('run_command', { command: 'cp a.txt b.txt' }),
        call('run_command', { command: 'cp a.txt c.txt' }),
      ),
    ],
    rows: [DONE, { state: 'DENIED', code: 'approval_denied' }],
    changed: { 'b.txt': 'alpha\n' },
    questions: 2,
  },
  {
    name: 'a command that takes too long is ended and lands nothing',
    files: { 'a.txt': 'alpha\n' },
    steps: [calls(shell('echo beta > a.txt; sleep 62', { timeout: 1 }))],
    rows: [{ state: 'ROLLED_BACK', code: 'timeout' }],
  },
  {
    name: 'a command that is cancelled is ended and lands nothing',
    files: { 'a.txt': 'alpha\n' },
    preset: 'auto',
    steps: [
      {
        do: 'calls',
        calls: [shell('echo beta > a.txt; sleep 62.73')],
        cancelAt: 'sleep 62.73',
      },
    ],
    rows: [{ state: 'ROLLED_BACK', code: 'cancelled' }],
  },
  {
    name: 'what follows a cancelled call in its message does not run',
    files: { 'a.txt': 'alpha\n' },
    preset: 'auto',
    steps: [
      {
        do: 'calls',
        calls: [shell('sleep 62.74'), write('never.txt', 'never\n')],
        cancelAt: 'sleep 62.74',
      },
    ],
    rows: [
      { state: 'ROLLED_BACK', code: 'cancelled' },
      { state: 'ROLLED_BACK', code: 'cancelled' },
    ],
    cannot: {
      mcp: 'each call is a message of its own, and a client that has cancelled makes no further one',
    },
  },
]
