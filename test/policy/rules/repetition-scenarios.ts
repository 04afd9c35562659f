import { NO, failing, late, on, free } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Calls that are made again and again. */
export const REPETITION_SCENARIOS: readonly Scenario[] = [
  {
    title: 'a call with effects is not repeated within the window, whatever the order of its arguments',
    rules: [],
    steps: [
      on(
        't1',
        'p1',
        [
          { tool: 'a', args: { x: 1, y: 2 } },
          { tool: 'a', args: { y: 2, x: 1 } },
          { tool: 'a', args: { x: 2, y: 1 } },
        ],
        ['ok', 'deduplicated', 'ok'],
      ),
      { ...on('t2', 'p2', [{ tool: 'a', args: { x: 1, y: 2 } }], ['deduplicated']), afterSeconds: 299.999 },
      { ...on('t2', 'p3', [{ tool: 'a', args: { x: 1, y: 2 } }], ['ok']), afterSeconds: 0.001 },
    ],
  },
  {
    title: 'only successes are not repeated, only by tools with effects that are not idempotent',
    rules: [],
    steps: [
      on(
        't1',
        'p1',
        [failing('a'), late('a'), 'a', 'a'],
        ['execution_failed', 'timeout', 'ok', 'deduplicated'],
      ),
      on(
        't1',
        'p1',
        [
          { tool: 'r', effect: 'read', repeatable: true },
          { tool: 'r', effect: 'read' },
        ],
        ['ok', 'ok'],
      ),
      on(
        't1',
        'p1',
        [
          { tool: 'i', repeatable: true },
          { tool: 'i', repeatable: true },
        ],
        ['ok', 'ok'],
      ),
    ],
  },
  {
    title: 'a change of the workspace makes a repetition something else',
    rules: [],
    steps: [
      on('t1', 'p1', ['a', { tool: 'e', effect: 'edit' }, 'a', 'a'], ['ok', 'ok', 'ok', 'deduplicated']),
      on(
        't1',
        'p2',
        [{ tool: 'e', effect: 'edit' }, 'a', { tool: 'e', effect: 'edit', ends: 'execution_failed' }, 'a'],
        ['ok', 'ok', 'execution_failed', 'deduplicated'],
      ),
    ],
  },
  {
    title: 'NeverDedupe lets calls be repeated',
    rules: [{ tool: 'a', type: 'NeverDedupe' }],
    steps: [on('t1', 'p1', ['a', 'a', 'b', 'b'], ['ok', 'ok', 'ok', 'deduplicated'])],
  },
  {
    title: 'AlwaysDedupe keeps even reading from being repeated, and wins over NeverDedupe',
    rules: [
      { tool: 'a', type: 'AlwaysDedupe' },
      { tool: '*', type: 'NeverDedupe' },
    ],
    steps: [
      on(
        't1',
        'p1',
        [
          { tool: 'a', effect: 'read' },
          { tool: 'a', effect: 'read' },
        ],
        ['ok', 'deduplicated'],
      ),
      on('t1', 'p2', [{ tool: 'a', effect: 'read' }, 'b', 'b'], ['deduplicated', 'ok', 'ok']),
    ],
  },
  {
    title: 'NeverDedupe of a higher priority wins over AlwaysDedupe',
    rules: [
      { tool: 'a', type: 'AlwaysDedupe' },
      { tool: 'a', type: 'NeverDedupe', priority: 1 },
    ],
    steps: [on('t1', 'p1', ['a', 'a'], ['ok', 'ok'])],
  },
  {
    title: 'the same failure again and again is stopped, until something has changed or the turn is over',
    rules: [free],
    steps: [
      on('t1', 'p1', [failing('a'), failing('a')], ['execution_failed', 'execution_failed']),
      on(
        't1',
        'p2',
        [failing('a'), failing('a'), failing('b')],
        ['execution_failed', NO, 'execution_failed'],
      ),
      on('t1', 'p2', [{ tool: 'r', effect: 'read' }, failing('a')], ['ok', NO]),
      on('t1', 'p2', ['c', failing('a')], ['ok', 'execution_failed']),
      on(
        't2',
        'p3',
        [failing('a'), failing('a'), failing('a'), 'a'],
        [...Array<string>(3).fill('execution_failed'), NO],
      ),
    ],
  },
  {
    title: 'a different failure, or different arguments, begin to count anew',
    rules: [free],
    steps: [
      on(
        't1',
        'p1',
        [failing('a'), failing('a'), late('a'), failing('a')],
        ['execution_failed', 'execution_failed', 'timeout', 'execution_failed'],
      ),
      on(
        't1',
        'p1',
        [{ ...failing('a'), args: { x: 1 } }, failing('a'), failing('a'), 'a'],
        [...Array<string>(3).fill('execution_failed'), NO],
      ),
    ],
  },
]
