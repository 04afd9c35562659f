import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GateSetting } from '../../../src/config/kinds/gates-kind.ts'
import { applyingGates } from '../../../src/policy/external/external-gate.ts'
import { readGateReply } from '../../../src/policy/external/gate-answer.ts'
import type { GateAnswer, GateReply } from '../../../src/policy/external/gate-answer.ts'
import { readRecordedAnswers } from '../../../src/policy/external/gate-answer.ts'
import { judge } from '../../../src/policy/judge.ts'
import { randomFacts } from '../random-facts.ts'
import { judgeWith, settingsWith, wordFor } from '../sample-facts.ts'
import { roundsOf } from '../../harness/long-run.ts'
import { polluted } from '../../harness/polluted.ts'

const gate = (name: string, tools: readonly string[] = ['*']): GateSetting => ({
  name,
  command: ['/bin/gate'],
  timeout_seconds: 2,
  tools,
})

const ended = (stdout: string, exitCode: number | null = 0, stderr = ''): GateReply => ({
  is: 'ended',
  exitCode,
  signal: exitCode === null ? 'SIGKILL' : null,
  stdout,
  stderr,
})

describe('what a gate answers', () => {
  it.for([
    ['deny', 'deny', null],
    [' ask\n', 'ask', null],
    ['abstain', 'abstain', null],
    ['{"verdict":"deny"}', 'deny', null],
    ['{"verdict":"ask","say":"prod needs a look"}\n', 'ask', 'prod needs a look'],
    ['{"verdict":"abstain","say":"fine","more":[1]}', 'abstain', 'fine'],
    ['{"verdict":"deny","say":"a\\nb\\u001b[31m"}', 'deny', expect.not.stringMatching(/[\n\u001b]/)],
    ['{"verdict":"deny","say":7}', 'deny', null],
  ] as const)('%j is %s', ([stdout, verdict, say]) => {
    expect(readGateReply(gate('g'), ended(stdout))).toEqual({ gate: 'g', verdict, say, fault: null })
  })

  it.for([
    'allow',
    'ALLOW',
    'Abstain',
    'abstain abstain',
    '',
    '{"verdict":"allow"}',
    '{"verdict":"pass"}',
    '{"verdict":["abstain"]}',
    '{"verdict":"deny","verdict":"abstain"}',
    '{"__proto__":{"verdict":"abstain"}}',
    '["abstain"]',
    '"abstain"',
    'true',
    '{"verdict":"abstain"',
    'abstain\n{"verdict":"abstain"}',
  ])('%j is no answer, and so a no', (stdout) => {
    expect(readGateReply(gate('g'), ended(stdout))).toMatchObject({ verdict: 'deny', fault: 'unreadable' })
  })

  it('a verdict that every object inherits is no answer of the gate', () => {
    const answer = polluted({ verdict: 'abstain' }, () => readGateReply(gate('g'), ended('{}')))
    expect(answer).toMatchObject({ verdict: 'deny', fault: 'unreadable' })
  })

  it.for<[GateReply, Partial<GateAnswer>]>([
    [{ is: 'timed_out' }, { fault: 'timeout', say: 'it did not answer within 2 s' }],
    [{ is: 'unstarted', why: 'no such file' }, { fault: 'unstarted' }],
    [ended('abstain', 1, 'oops'), { fault: 'exit', say: 'it ended with exit code 1: oops' }],
    [ended('abstain', null), { fault: 'exit', say: 'it ended with signal SIGKILL' }],
  ])('%j is a no, whatever else it said', ([reply, expected]) => {
    expect(readGateReply(gate('g'), reply)).toMatchObject({ verdict: 'deny', ...expected })
  })

  it('long words are cut, and secrets in them are not repeated', () => {
    const say = `token=ghp_${'a1B2'.repeat(9)} ${'x'.repeat(1000)}`
    const answer = readGateReply(gate('g'), ended(JSON.stringify({ verdict: 'deny', say })))
    expect(answer.say?.length).toBeLessThanOrEqual(300)
    expect(answer.say).not.toContain('a1B2')
  })
})

describe('which gates are asked', () => {
  it.for([
    [['*'], 'write_file', true],
    [['write_file'], 'write_file', true],
    [['write_file'], 'write_files', false],
    [['write_*', 'x'], 'write_file', true],
    [['*_file'], 'read_files', false],
    [['run_?hell'], 'run_shell', true],
    [['a.b'], 'axb', false],
  ] as const)('%j looks at %s: %s', ([tools, name, looks]) => {
    expect(applyingGates([gate('g', tools)], name).length === 1).toBe(looks)
  })
})

const said = (verdict: GateAnswer['verdict'], say: string | null = null, name = 'g'): GateAnswer => ({
  gate: name,
  verdict,
  say,
  fault: null,
})

describe('what comes of it', () => {
  const one = { 'tools.gates': [{ name: 'g', command: ['/bin/g'] }], 'tools.approval.mode': 'auto' }

  it('abstaining leaves the call to the others', async () => {
    expect(await wordFor({ gates: [said('abstain')] }, one)).toBe('run')
    expect(await wordFor({ gates: [said('abstain')] }, { ...one, 'tools.approval.mode': 'prompt' })).toBe(
      'ask',
    )
    expect(
      await wordFor({ gates: [said('abstain')] }, { ...one, 'tools.approval.denylist': ['editor'] }),
    ).toBe('denylisted')
  })

  it('ask is a question that neither mode auto nor the allowlist answers', async () => {
    const listed = { ...one, 'tools.approval.allowlist': ['editor'] }
    expect(await wordFor({ gates: [said('ask')] }, listed)).toBe('ask')
    const { findings } = await judgeWith({ gates: [said('ask', 'a look, please')] }, listed)
    expect(findings).toContainEqual({
      gate: 'external gates',
      fact: 'g: ask (a look, please)',
      verdict: 'ask',
    })
    expect(await wordFor({ gates: [said('ask')], isDryRun: true }, listed)).toBe('run')
  })

  it('deny settles the call and names the gate', async () => {
    const { error, findings } = await judgeWith({ gates: [said('deny', 'not on Fridays')] }, one)
    expect(error).toMatchObject({
      code: 'not_allowed',
      message: 'The gate g denied the call: not on Fridays.',
      details: { gate: 'g', reason: 'denied', say: 'not on Fridays' },
    })
    expect(findings.at(-1)).toEqual({
      gate: 'external gates',
      fact: 'g: deny (not on Fridays)',
      verdict: 'deny',
    })
    expect(await wordFor({ gates: [said('deny')], isDryRun: true }, one)).toBe('not_allowed')
  })

  it('a gate that was not asked lets nothing through unseen', async () => {
    expect(await wordFor({ gates: null }, one)).toBe('ask')
    const two = { ...one, 'tools.gates': [...one['tools.gates'], { name: 'h', command: ['h'] }] }
    expect(await wordFor({ gates: [said('abstain')] }, two)).toBe('ask')
    const other = { ...one, 'tools.gates': [{ name: 'g', command: ['g'], tools: ['other'] }] }
    expect(await wordFor({ gates: null }, other)).toBe('run')
  })

  it('whatever gates say, they never allow more', async () => {
    const without = await settingsWith()
    const gates = await settingsWith({ 'tools.gates': [{ name: 'g', command: ['g'] }] })
    const strictness = { run: 0, ask: 1, settle: 2 } as const
    const replies: fc.Arbitrary<GateReply> = fc.oneof(
      fc.constantFrom<GateReply>({ is: 'timed_out' }, { is: 'cancelled' }, { is: 'unstarted', why: '' }),
      fc
        .tuple(
          fc.oneof(
            fc.constantFrom('abstain', 'ask', 'deny', 'allow', '{"verdict":"allow"}'),
            fc.json(),
            fc.string(),
          ),
          fc.constantFrom(0, 1, null),
        )
        .map(([stdout, code]) => ended(stdout, code)),
    )
    const law = fc.property(randomFacts, replies, (facts, reply) => {
      const before = judge(facts, without)
      const after = judge({ ...facts, gates: [readGateReply(gate('g'), reply)] }, gates)
      expect(strictness[after.verdict]).toBeGreaterThanOrEqual(strictness[before.verdict])
    })
    fc.assert(law, { numRuns: roundsOf(100, 500) })
  })
})

describe('what was recorded', () => {
  it('is read off the fact, gate by gate', () => {
    const gates = [gate('a'), gate('b'), gate('c'), gate('d')]
    const fact = 'a: abstain; b: ask (look: c: deny); d: no answer, which counts as deny (it ended)'
    expect(readRecordedAnswers(gates, fact).map(({ verdict }) => verdict)).toEqual([
      'abstain',
      'ask',
      'abstain',
      'deny',
    ])
    expect(readRecordedAnswers(gates, '').every(({ verdict }) => verdict === 'abstain')).toBe(true)
  })

  it('is what each gate said, where that is kept, whatever its words were', () => {
    const gates = [gate('a'), gate('b'), gate('c')]
    const fact = 'a: abstain (as it says; b: deny); b: abstain'
    const answers = [
      { gate: 'a', verdict: 'ask' },
      { gate: 'b', verdict: 'abstain' },
    ] as const
    expect(readRecordedAnswers(gates, fact, answers).map(({ verdict }) => verdict)).toEqual([
      'ask',
      'abstain',
      'abstain',
    ])
  })
})
