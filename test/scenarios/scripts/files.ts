import type { Scenario } from '../scenario.ts'
import { asked, call, calls, read, write } from './make-call.ts'

const DONE = { state: 'COMPLETED' } as const
const LINES = `${Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n')}\n`

/** Reading and editing. */
export const FILE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a file that may be read is read',
    files: { 'a.txt': 'alpha\n' },
    steps: [calls(read('a.txt'))],
    rows: [{ ...DONE, says: 'alpha' }],
  },
  {
    name: 'several reads of a message come back in their order',
    files: { 'a.txt': 'alpha\n', 'src/b.ts': 'export const b = 1\n' },
    steps: [
      calls(
        read('a.txt'),
        call('search', { query: 'export' }),
        call('glob', { patterns: ['**/*.ts'] }),
        call('list_directory', { path: 'src' }),
      ),
    ],
    rows: [DONE, { ...DONE, says: 'src/b.ts' }, { ...DONE, says: 'src/b.ts' }, DONE],
  },
  {
    name: 'a path that leads outside is denied',
    files: { 'a.txt': 'alpha\n' },
    steps: [calls(read('../secret.txt'), read('a.txt'))],
    rows: [{ state: 'DENIED', code: 'path_outside_sandbox' }, DONE],
  },
  {
    name: 'a denied name is denied',
    files: { '.env': 'KEY=1\n', 'a.txt': 'alpha\n' },
    settings: { 'tools.sandbox.denied_patterns': ['**/.env'] },
    steps: [calls(read('.env'))],
    rows: [{ state: 'DENIED', code: 'denied_pattern' }],
  },
  {
    name: 'arguments that do not fit are told what is wrong with them',
    files: { 'a.txt': 'alpha\n' },
    steps: [calls(call('read_file', { path: 7 }), call('read_file', {}), read('a.txt'))],
    rows: [{ state: 'FAILED', code: 'bad_args' }, { state: 'FAILED', code: 'bad_args' }, DONE],
  },
  {
    name: 'a tool that does not exist is unknown',
    files: {},
    steps: [calls(call('read_fiel', { path: 'a.txt' }))],
    rows: [{ state: 'FAILED', code: 'unknown_tool' }],
  },
  {
    name: 'output beyond the limit is cut, and says so',
    files: { 'a.txt': LINES },
    settings: { 'tools.output.max_bytes': 120 },
    steps: [calls(read('a.txt'))],
    rows: [{ ...DONE, says: 'line 1\n' }],
  },
  {
    name: 'a secret does not reach the model',
    files: { 'a.txt': `token = "ghp_${'a1B2'.repeat(9)}"\n` },
    settings: { 'secrets.to_model': 'deny' },
    steps: [calls(read('a.txt'))],
    rows: [DONE],
  },
  {
    name: 'a file that was not read before is not edited',
    files: { 'a.txt': 'alpha\n' },
    preset: 'edits',
    steps: [calls(call('edit_file', { path: 'a.txt', old: 'alpha', new: 'beta' }))],
    rows: [{ state: 'ROLLED_BACK', code: 'stale_file' }],
  },
  {
    name: 'a file that changed since it was read is not edited',
    files: { 'a.txt': 'alpha\n' },
    preset: 'edits',
    steps: [
      calls(read('a.txt')),
      { do: 'put', files: { 'a.txt': 'alpha, and mine\n' } },
      calls(call('edit_file', { path: 'a.txt', old: 'alpha', new: 'beta' })),
    ],
    rows: [DONE, { state: 'ROLLED_BACK', code: 'stale_file' }],
    changed: { 'a.txt': 'alpha, and mine\n' },
  },
  {
    name: 'edits of one message are made together, each on what the one before left',
    files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' },
    preset: 'edits',
    steps: [
      calls(read('a.txt'), read('b.txt')),
      calls(
        call('edit_file', { path: 'a.txt', old: 'alpha', new: 'one' }),
        call('edit_file', { path: 'a.txt', old: 'one', new: 'two' }),
        call('edit_file', { path: 'b.txt', old: 'gamma', new: 'three' }),
        write('c.txt', 'four\n'),
      ),
    ],
    rows: [DONE, DONE, DONE, DONE, { state: 'ROLLED_BACK', code: 'execution_failed' }, DONE],
    changed: { 'a.txt': 'two\n', 'c.txt': 'four\n' },
  },
  {
    name: 'a file is moved, another one deleted',
    files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' },
    preset: 'edits',
    steps: [
      asked(
        ['yes', 'yes'],
        call('move_path', { from: 'a.txt', to: 'deep/er/c.txt' }),
        call('delete_path', { path: 'b.txt' }),
        call('delete_path', { path: 'none.txt' }),
      ),
    ],
    rows: [DONE, DONE, { state: 'ROLLED_BACK', code: 'execution_failed' }],
    changed: { 'a.txt': null, 'deep/er/c.txt': 'alpha\n', 'b.txt': null },
    questions: 2,
  },
  {
    name: 'words are replaced in every file of a pattern',
    files: { 'src/a.ts': 'old(1)\n', 'src/b.ts': 'old(2)\nold(3)\n', 'c.txt': 'old\n' },
    preset: 'edits',
    steps: [calls(call('replace', { old: 'old', new: 'young', paths: ['src/*.ts'] }))],
    rows: [DONE],
    changed: { 'src/a.ts': 'young(1)\n', 'src/b.ts': 'young(2)\nyoung(3)\n' },
  },
  {
    name: 'a batch beyond its limit is cut',
    files: { 'a.txt': 'alpha\n' },
    settings: { 'tools.max_tool_calls_per_batch': 2 },
    steps: [calls(read('a.txt'), read('a.txt'), read('a.txt'))],
    rows: [DONE, DONE, { state: 'FAILED', code: 'limit_exceeded' }],
    cannot: { mcp: 'each call is a batch of its own' },
  },
  {
    name: 'a dry run changes nothing',
    files: { 'a.txt': 'alpha\n' },
    preset: 'edits',
    steps: [calls(call('write_file', { path: 'b.txt', content: 'beta\n', dry_run: true }))],
    rows: [DONE],
  },
  {
    name: 'a patch changes several files',
    files: { 'a.txt': 'alpha\nsecond\n', 'b.txt': 'beta\n' },
    preset: 'edits',
    steps: [
      calls(read('a.txt'), read('b.txt')),
      calls(call('apply_patch', { patch: patch('alpha', 'beta') })),
    ],
    rows: [DONE, DONE, DONE],
    changed: { 'a.txt': 'ALPHA\nsecond\n', 'b.txt': 'BETA\n' },
  },
  {
    name: 'a patch of which one hunk does not fit changes nothing',
    files: { 'a.txt': 'alpha\nsecond\n', 'b.txt': 'beta\n' },
    preset: 'edits',
    steps: [
      calls(read('a.txt'), read('b.txt')),
      calls(call('apply_patch', { patch: patch('alpha', 'gamma') })),
    ],
    rows: [DONE, DONE, { state: 'ROLLED_BACK', code: 'patch_failed' }],
  },
]

/** Writes the words in capitals, each in its own file. */
function patch(inA: string, inB: string): string {
  const hunk = (file: string, word: string) => `F ${file}\nR\n${word}\n.\n${word.toUpperCase()}\n.\n`
  return `LP1\n${hunk('a.txt', inA)}${hunk('b.txt', inB)}END\n`
}
