import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findHarmlessRow } from '../../../src/core/command/harmless/harmless-commands.ts'
import type { Command } from '../../../src/core/tool.ts'
import type { GrantCall } from '../../../src/policy/grants/cover.ts'
import { grantFor, indexGrants } from '../../../src/policy/grants/find-grant.ts'
import { describeGrant, grantText } from '../../../src/core/grant.ts'
import type { Grant, GrantScope } from '../../../src/core/grant.ts'
import { argv, callOf, covers, grantOf, line } from './grant-bench.ts'
import { roundsOf } from '../../harness/long-run.ts'

describe('a grant for a command', () => {
  const gitLog: GrantScope = { kind: 'command', words: ['git', 'log'] }

  it.each([line('git log'), line('git  log --oneline'), line(`'git' "log" -5`), argv('git', 'log', '-p')])(
    'covers %j',
    (call) => {
      expect(covers(gitLog, call)).toBe(true)
    },
  )

  it.each([
    line('git logout'),
    line('git'),
    line('git -c a=b log'),
    line('gitlog'),
    line('git l'),
    line('GIT log'),
    line('git log && ls'),
    line('git log; ls'),
    line('git log | cat'),
    line('git log &'),
    line('git log\nls'),
    line('git log > x'),
    line('git log $X'),
    line('git log `x`'),
    line('git log *'),
    line('A=1 git log'),
    line('(git log)'),
    line('git log --output=x'),
    line('git log --ext-diff'),
    line("git log 'a"),
    line('/tmp/git log'),
    line('sudo git log'),
    line('git "log\u202E"'),
    line(''),
    argv(),
    argv('git log'),
    argv('git', 'logout'),
    argv('sh', '-c', 'git log'),
    callOf(),
  ])('does not cover %j', (call) => {
    expect(covers(gitLog, call)).toBe(false)
  })

  it('that is not in the table of harmless ones covers exactly its words, even if it was made by hand or long ago', () => {
    expect(covers({ kind: 'command', words: ['npm', 'test'] }, argv('npm', 'test'))).toBe(true)
    expect(covers({ kind: 'command', words: ['npm', 'test'] }, argv('npm', 'test', '--', 'x'))).toBe(false)
    expect(covers({ kind: 'command', words: ['git'] }, argv('git', 'log'))).toBe(false)
    expect(covers({ kind: 'command', words: ['rm'] }, argv('rm', 'x'))).toBe(false)
    expect(covers({ kind: 'command', words: ['git'] }, argv('git', 'reset', '--hard'))).toBe(false)
    expect(covers({ kind: 'command', words: ['sh'] }, argv('sh', '-c', 'ls'))).toBe(false)
    expect(covers({ kind: 'command', words: [] }, argv('ls'))).toBe(false)
  })
})

describe('a grant for paths', () => {
  it.each([
    ['src/**', ['src/a.ts', 'src/b/c.ts']],
    ['**', ['a', 'b/c']],
    ['*.md', ['README.md']],
    ['/w/other/**', ['/w/other/x']],
    ['.github/**', ['.github/x.yml']],
  ])('%s covers %j', (glob, paths) => {
    expect(covers({ kind: 'path', glob }, callOf({ paths }))).toBe(true)
  })

  it.each([
    ['src/**', ['src/a.ts', 'docs/b.md']],
    ['src/**', []],
    ['src/**', [null]],
    ['src/**', ['src/a.ts', null]],
    ['src/**', ['srcs/a.ts']],
    ['src/**', ['SRC/a.ts']],
    ['src/**', ['/src/a.ts']],
    ['/src/**', ['src/a.ts']],
    ['src/**', ['src/../x']],
    ['src/**', ['src/.env']],
    ['**', ['.github/x.yml']],
    ['*', ['a/b']],
    ['[', ['[']],
  ])('%s does not cover %j', (glob, paths) => {
    expect(covers({ kind: 'path', glob }, callOf({ paths }))).toBe(false)
  })
})

describe('standing grants', () => {
  const all: GrantScope = { kind: 'tool' }

  it.each([
    ['revoked', { revoked_at: 1500 }, 2000],
    ['expired', { expires_at: 2000 }, 2000],
    ['of another tool', { tool: 'read_file' }, 2000],
    ['of the future', { granted_at: 3000 }, 2000],
  ] as const)('one that is %s covers nothing', (_title, more, now) => {
    expect(grantFor(indexGrants([grantOf(all, more)]), callOf(), now)).toBeNull()
    expect(grantFor(indexGrants([grantOf(all)]), callOf(), now)).not.toBeNull()
  })

  it('of several the narrowest is relied on', () => {
    const scopes: readonly GrantScope[] = [
      all,
      { kind: 'path', glob: '**' },
      { kind: 'path', glob: 'src/**' },
      { kind: 'arguments', digest: 'd0' },
    ]
    const grants = scopes.map((scope, index) => grantOf(scope, { id: `g${index}` }))
    expect(grantFor(indexGrants(grants), callOf(), 2000)?.id).toBe('g3')
    expect(grantFor(indexGrants(grants), callOf({ argsDigest: 'd1' }), 2000)?.id).toBe('g2')
    expect(grantFor(indexGrants(grants), callOf({ argsDigest: 'd1', paths: ['x'] }), 2000)?.id).toBe('g1')
    expect(grantFor(indexGrants(grants), callOf({ argsDigest: 'd1', paths: [] }), 2000)?.id).toBe('g0')
    const older = grantOf(all, { id: 'g9', granted_at: 500 })
    expect(grantFor(indexGrants([grantOf(all), older]), callOf(), 2000)?.id).toBe('g9')
  })

  it('finding one by its index is the same as trying all', () => {
    const law = fc.property(
      fc.array(randomGrant, { maxLength: 20 }),
      randomCall,
      fc.nat(4000),
      (grants, call, now) => {
        const isCovered = grants.some(
          (grant) =>
            grant.tool === call.tool &&
            grant.revoked_at === null &&
            grant.granted_at <= now &&
            (grant.expires_at === null || grant.expires_at > now) &&
            covers(grant.scope, call),
        )
        expect(grantFor(indexGrants(grants), call, now) !== null).toBe(isCovered)
      },
    )
    fc.assert(law, { numRuns: roundsOf(100, 500) })
  })

  it('a grant for a command that is not in the table covers exactly its words and nothing else', () => {
    const law = fc.property(randomWords, randomCall, (words, call) => {
      if (findHarmlessRow(words) !== null || !covers({ kind: 'command', words }, call)) return
      expect(call.command?.kind === 'line' ? call.command.text : call.command?.words.join(' ')).toBe(
        words.join(' '),
      )
    })
    fc.assert(law, { numRuns: roundsOf(200, 2000) })
  })

  it('a narrower grant beside a wider one never allows more', () => {
    const law = fc.property(randomScope, randomCall, narrowing, (scope, call, narrow) => {
      const narrower = narrow(scope)
      if (covers(narrower, call)) expect(covers(scope, call)).toBe(true)
      expect(covers({ kind: 'tool' }, call)).toBe(true)
    })
    fc.assert(law, { numRuns: roundsOf(100, 500) })
  })
})

const openName = fc.constantFrom('src', 'docs', 'a', 'b.ts')
const name = fc.oneof(openName, fc.constant('.env'))
const randomPath = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
const randomGlob = fc
  .array(fc.oneof(name, fc.constantFrom('*', '**', '*.ts', '{a,src}')), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'))
const randomWords = fc.array(fc.constantFrom('git', 'log', 'rm', 'sh', '-c', 'x', '--hard', 'reset'), {
  maxLength: 4,
})
const digest = fc.constantFrom('d0', 'd1')
const randomScope: fc.Arbitrary<GrantScope> = fc.oneof(
  fc.constant({ kind: 'tool' } as const),
  randomGlob.map((glob) => ({ kind: 'path', glob }) as const),
  digest.map((value) => ({ kind: 'arguments', digest: value }) as const),
  randomWords.map((words) => ({ kind: 'command', words }) as const),
)
const tool = fc.constantFrom('write_file', 'run')
const randomGrant: fc.Arbitrary<Grant> = fc
  .record({
    id: fc.uuid(),
    tool,
    scope: randomScope,
    granted_at: fc.nat(3000),
    expires_at: fc.option(fc.nat(5000)),
    revoked_at: fc.option(fc.nat(5000), { freq: 5 }),
  })
  .map(({ scope, ...more }) => grantOf(scope, more))
const randomCommand: fc.Arbitrary<Command | null> = fc.oneof(
  fc.constant(null),
  randomWords.map((words) => ({ kind: 'words', words }) as const),
  randomWords.map((words) => ({ kind: 'line', text: words.join(' ') }) as const),
)
const randomCall: fc.Arbitrary<GrantCall> = fc.record({
  tool,
  argsDigest: digest,
  paths: fc.array(
    fc.oneof({ weight: 9, arbitrary: randomPath }, { weight: 1, arbitrary: fc.constant(null) }),
    { maxLength: 3 },
  ),
  command: randomCommand,
})
/** Ways to say less: another word in a command, a longer path, or the same. */
const narrowing: fc.Arbitrary<(scope: GrantScope) => GrantScope> = fc
  // A wildcard does not cover hidden names, so writing one in its place is not narrower.
  .tuple(randomWords, openName)
  .map(([words, last]) => (scope: GrantScope) => {
    // Outside the table a prefix covers just its own words, so more words are not narrower but others.
    if (scope.kind === 'command')
      return findHarmlessRow(scope.words) === null ? scope : { ...scope, words: [...scope.words, ...words] }
    if (scope.kind === 'path')
      return scope.glob.endsWith('**') ? { ...scope, glob: scope.glob.replace(/\*\*$/, last) } : scope
    return scope
  })

describe('what is written of a grant', () => {
  it.each([
    [
      grantOf({ kind: 'tool' }, { used: 3 }),
      'write_file may run without a question whatever its arguments, until it is revoked; granted by ada 1970-01-01T00:00:01.000Z, used 3 times.',
    ],
    [
      grantOf({ kind: 'path', glob: 'src/**' }, { expires_at: 61_000 }),
      'write_file may run without a question on paths that match src/**, until 1970-01-01T00:01:01.000Z; granted by ada 1970-01-01T00:00:01.000Z, not used yet.',
    ],
    [
      grantOf({ kind: 'command', words: ['git', 'log x'] }, { used: 1, revoked_at: 2000 }),
      'write_file could run without a question for exactly the command git "log x", because a prefix is allowed only for commands that just look, until it was revoked 1970-01-01T00:00:02.000Z; granted by ada 1970-01-01T00:00:01.000Z, used once.',
    ],
    [
      grantOf({ kind: 'command', words: ['git', 'log'] }),
      'write_file may run without a question for commands that begin with the words git log and go on with options that just look, until it is revoked; granted by ada 1970-01-01T00:00:01.000Z, not used yet.',
    ],
    [
      grantOf({ kind: 'arguments', digest: '0123456789abcdef' }, { expires_at: 9e15 }),
      'write_file may run without a question with exactly the same arguments in the same folder (0123456789ab), until 9000000000000000; granted by ada 1970-01-01T00:00:01.000Z, not used yet.',
    ],
    [
      grantOf({ kind: 'arguments', digest: '0123456789abcdef' }, { shows: 'write_file a.txt' }),
      'write_file may run without a question with exactly the same arguments in the same folder, as in "write_file a.txt", until it is revoked; granted by ada 1970-01-01T00:00:01.000Z, not used yet.',
    ],
  ])('is one sentence: %#', (grant, sentence) => {
    expect(describeGrant(grant)).toBe(sentence)
  })

  it('shows the example of a call without characters that cannot be seen', () => {
    const shows = 'rm\u202Egnp.a\u200B "b"'
    expect(describeGrant(grantOf({ kind: 'tool' }, { shows }))).toContain(
      String.raw`whatever its arguments, as in "rm\u202egnp.a\u200b \"b\"", until`,
    )
  })

  it('the text to be signed changes with everything that could allow more, and not with its use', () => {
    const grant = grantOf({ kind: 'path', glob: 'src/**' }, { expires_at: 5000 })
    const text = grantText(grant, '/w')
    expect(grantText({ ...grant, used: 99 }, '/w')).toBe(text)
    const forged: readonly Grant[] = [
      { ...grant, id: 'g2' },
      { ...grant, tool: 'run_shell' },
      { ...grant, scope: { kind: 'tool' } },
      { ...grant, scope: { kind: 'path', glob: '**' } },
      { ...grant, sentence: 'x' },
      { ...grant, granted_by: 'bob' },
      { ...grant, granted_at: 999 },
      { ...grant, expires_at: null },
      { ...grant, revoked_at: 1 },
    ]
    expect(
      new Set([text, grantText(grant, '/other'), ...forged.map((one) => grantText(one, '/w'))]).size,
    ).toBe(11)
  })
})
