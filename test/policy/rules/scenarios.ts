import { REPETITION_SCENARIOS } from './repetition-scenarios.ts'
import { NO, failing, late, on, free } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Every rule type: allowed, refused, at its boundary, and across a continuation of the turn. */
export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'MaxCalls lets the last call through and not one more, also in the next pass of the turn',
    rules: [free, { tool: 'a', type: 'MaxCalls', max: 2 }],
    steps: [
      on('t1', 'p1', ['a', 'b'], ['ok', 'ok']),
      on('t1', 'p2', ['a', 'a', 'b'], ['ok', NO, 'ok']),
      on('t2', 'p3', ['a', 'a', 'a'], ['ok', 'ok', NO]),
    ],
  },
  {
    title: 'MaxCalls counts what failed or timed out, and not what was refused',
    rules: [
      free,
      { tool: 'a', type: 'MaxCalls', max: 2 },
      { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b'] },
    ],
    steps: [
      on('t1', 'p1', ['a', 'a', 'a'], [NO, NO, NO]),
      on('t1', 'p1', ['b', failing('a'), late('a'), 'a'], ['ok', 'execution_failed', 'timeout', NO]),
    ],
  },
  {
    title: 'MaxCalls of none forbids a tool, and of every tool counts each by itself',
    rules: [free, { tool: 'a', type: 'MaxCalls', max: 0 }, { tool: '*', type: 'MaxCalls', max: 1 }],
    steps: [on('t1', 'p1', ['a', 'b', 'c', 'b'], [NO, 'ok', 'ok', NO])],
  },
  {
    title: 'ExclusiveGroups keeps to the tool that was used first, through the turn',
    rules: [free, { tool: 'a', type: 'ExclusiveGroups', groups: [['a', 'b']] }],
    steps: [
      on('t1', 'p1', ['b', 'a', 'c'], ['ok', NO, 'ok']),
      on('t1', 'p2', ['a', 'b'], [NO, 'ok']),
      on('t2', 'p3', ['a', 'b'], ['ok', NO]),
    ],
  },
  {
    title: 'ExclusiveGroups gives back the claim of a call that was refused',
    rules: [
      free,
      { tool: '*', type: 'ExclusiveGroups', groups: [['a', 'b']] },
      { tool: 'a', type: 'MaxCalls', max: 0 },
    ],
    steps: [on('t1', 'p1', ['a', 'b'], [NO, 'ok'])],
  },
  {
    title: 'StartConstraint wants its tool to succeed first, in each pass anew',
    rules: [free, { tool: 'start', type: 'StartConstraint' }],
    steps: [
      on('t1', 'p1', ['a'], [NO]),
      on('t1', 'p1', [failing('start'), 'a'], ['execution_failed', NO]),
      on('t1', 'p1', ['start', 'a'], ['ok', 'ok']),
      on('t1', 'p1', ['a'], ['ok']),
      on('t1', 'p2', ['a'], [NO]),
    ],
  },
  {
    title: 'StartConstraint of two tools wants both, in any order',
    rules: [free, { tool: 's1', type: 'StartConstraint' }, { tool: 's2', type: 'StartConstraint' }],
    steps: [on('t1', 'p1', ['s2', 'a', 's1', 'a'], ['ok', NO, 'ok', 'ok'])],
  },
  {
    title: 'StartConstraint: the third time the runtime runs the missing tool itself',
    rules: [free, { tool: 'start', type: 'StartConstraint' }],
    bareTools: ['start'],
    steps: [on('t1', 'p1', ['a', 'a', 'a', 'a'], [NO, NO, 'start by the runtime: ok', 'ok', 'ok'])],
  },
  {
    title: 'StartConstraint: a tool that needs arguments stays the duty of the caller',
    rules: [free, { tool: 'start', type: 'StartConstraint' }],
    steps: [on('t1', 'p1', ['a', 'a', 'a', 'a'], [NO, NO, NO, NO])],
  },
  {
    title: 'RequiresPrecedingTools wants a success before, in the same pass',
    rules: [free, { tool: 'a', type: 'RequiresPrecedingTools', tools: ['b', 'c'] }],
    steps: [
      on('t1', 'p1', ['b', 'a'], ['ok', NO]),
      on('t1', 'p1', [failing('c'), 'a'], ['execution_failed', NO]),
      on('t1', 'p1', ['c', 'a'], ['ok', 'ok']),
      on('t1', 'p2', ['a'], [NO]),
    ],
  },
  {
    title: 'RequiresPrecedingTools of every tool leaves the listed ones free',
    rules: [free, { tool: '*', type: 'RequiresPrecedingTools', tools: ['b'] }],
    steps: [on('t1', 'p1', ['a', 'b', 'a'], [NO, 'ok', 'ok'])],
  },
  {
    title: 'RequiresFollowingTools refuses once a listed tool has run, until the next pass',
    rules: [free, { tool: 'a', type: 'RequiresFollowingTools', tools: ['b'] }],
    steps: [
      on('t1', 'p1', ['a', 'a', 'b', 'a'], ['ok', 'ok', 'ok', NO]),
      on('t1', 'p2', ['a', failing('b'), 'a'], ['ok', 'execution_failed', NO]),
    ],
  },
  {
    title: 'RequiredBeforeExit refuses the tool that ends the loop until its own has succeeded',
    rules: [free, { tool: 'clean', type: 'RequiredBeforeExit' }, { tool: 'done', type: 'ExitLoop' }],
    steps: [
      on('t1', 'p1', ['a', 'done'], ['ok', NO]),
      on('t1', 'p1', ['clean', 'done'], ['ok', 'ok']),
      on('t1', 'p2', ['done'], [NO]),
    ],
  },
  {
    title: 'RequiredBeforeExit: the third time the runtime cleans up itself',
    rules: [free, { tool: 'clean', type: 'RequiredBeforeExit' }, { tool: 'done', type: 'ExitLoop' }],
    bareTools: ['clean'],
    steps: [on('t1', 'p1', ['done', 'done', 'done'], [NO, NO, 'clean by the runtime: ok', 'ok'])],
  },
  {
    title: 'RequiredBeforeExitIf asks for its tool only after a trigger succeeded',
    rules: [
      free,
      { tool: 'test', type: 'RequiredBeforeExitIf', tools: ['write', 'patch'] },
      { tool: 'done', type: 'ExitLoop' },
    ],
    steps: [
      on('t1', 'p1', ['a', 'done'], ['ok', 'ok']),
      on('t1', 'p2', [failing('write'), 'done'], ['execution_failed', 'ok']),
      on('t1', 'p3', ['patch', 'done', 'test', 'done'], ['ok', NO, 'ok', 'ok']),
    ],
  },
  {
    title: 'Cooldown ends exactly when its time is over, and outlasts turns',
    rules: [free, { tool: 'a', type: 'Cooldown', seconds: 60 }],
    steps: [
      on('t1', 'p1', ['a', 'a', 'b', 'b'], ['ok', NO, 'ok', 'ok']),
      { ...on('t2', 'p2', ['a'], [NO]), afterSeconds: 59.999 },
      { ...on('t2', 'p3', ['a'], ['ok']), afterSeconds: 0.001 },
    ],
  },
  {
    title: 'Cooldown counts a failure and not a timeout',
    rules: [free, { tool: '*', type: 'Cooldown', seconds: 60 }],
    steps: [on('t1', 'p1', [late('a'), failing('a'), 'a'], ['timeout', 'execution_failed', NO])],
  },
  {
    title: 'RequiresConsent asks each time',
    rules: [free, { tool: 'a', type: 'RequiresConsent', scope: null }],
    steps: [on('t1', 'p1', ['a', 'b'], ['ask', 'ok']), on('t1', 'p2', ['a'], ['ask'])],
  },
  {
    title: 'AllowedOperations lets through what it lists',
    rules: [free, { tool: 'task', type: 'AllowedOperations', operations: ['list'] }],
    steps: [
      on(
        't1',
        'p1',
        [{ tool: 'task', args: { action: 'list' } }, { tool: 'task', args: { action: 'drop' } }, 'task'],
        ['ok', NO, NO],
      ),
      on('t1', 'p2', [{ tool: 'other', args: { action: 'drop' } }], ['ok']),
    ],
  },
  {
    title: 'Needed, ContinueLoop, ExitLoop and Periodic refuse nothing',
    rules: [
      free,
      { tool: 'a', type: 'Needed', tools: ['b'] },
      { tool: 'a', type: 'ContinueLoop' },
      { tool: 'a', type: 'ExitLoop' },
      { tool: 'a', type: 'Periodic', seconds: 1 },
    ],
    steps: [on('t1', 'p1', ['a', 'a', 'b', 'a'], ['ok', 'ok', 'ok', 'ok'])],
  },
  ...REPETITION_SCENARIOS,
]
