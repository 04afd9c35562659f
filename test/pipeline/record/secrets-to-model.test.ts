import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApprovalAnswers, ApprovalRequest } from '../../../src/core/approval.ts'
import { failure } from '../../../src/core/error.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { reader } from '../sample-tools.ts'

const SETTINGS = 'host = db\nDB_PASSWORD=hunter2222\nport = 1\n'
const KEPT = 'value-without-any-shape'
const fromModel = { origin: 'model' } as const
const read = { id: 'c1', name: 'read_file', args: { path: 'settings.ini' } }

function set(to: string, answers: (requests: readonly ApprovalRequest[]) => ApprovalAnswers = () => []) {
  const asked: ApprovalRequest[] = []
  const options: Partial<RuntimeOptions> = {
    config: { 'secrets.to_model': to, 'tools.approval.mode': 'auto' },
    approve: (requests) => {
      asked.push(...requests)
      return answers(requests)
    },
  }
  return { asked, options }
}

const once = (requests: readonly ApprovalRequest[]): ApprovalAnswers => requests.map(() => 'once' as const)

function stripped(): void {
  process.env['SHIELD_TEST_TOKEN'] = KEPT
  onTestFinished(() => void delete process.env['SHIELD_TEST_TOKEN'])
}

describe('a result with secrets that is about to go to a model', () => {
  it('F-SAFE-REDACT: deny takes them out, says so in the text and in the object, and asks nobody', async () => {
    const { asked, options } = set('deny', once)
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(options)
    const [result] = await runtime.run([read], fromModel)
    expect(result?.content).toMatch(
      /^host = db\nDB_PASSWORD=\[redacted\]\nport = 1\n\n\n\[Text that looks like a secret/,
    )
    expect(outputOf(result)).toMatchObject({
      redacted: expect.stringContaining('was removed from this result') as string,
    })
    expect(JSON.stringify(result)).not.toContain('hunter2222')
    expect(asked).toHaveLength(0)
  })

  it('ask puts the question through the one broker, without the secret, and a yes gives the result as it is', async () => {
    const { asked, options } = set('ask', once)
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(options)
    const [result] = await runtime.run([read], fromModel)
    expect(result?.content).toBe(SETTINGS)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      about: 'result',
      risk: 'High',
      scopes: [{ scope: { kind: 'values' } }],
      execution: result?.execution.id,
    })
    expect(asked[0]?.summary).toContain('DB_PASSWORD=[redacted]')
    expect(JSON.stringify(asked)).not.toContain('hunter2222')
  })

  it('the question says of all that a yes would send what it is and where, however many lines there are', async () => {
    const { asked, options } = set('ask', once)
    const example = (index: number): string =>
      `example_${index} = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r${index}"\n`
    const keys = 'aws = "AKIAIOSFODNN7EXAMPLQ"\nstripe = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"\n'
    const text = [1, 2, 3, 4, 5, 6].map(example).join('') + keys
    const runtime = await bench({ 'settings.ini': text }).open(options)
    const [result] = await runtime.run([read], fromModel)
    expect(result?.content).toBe(text)
    expect(asked[0]?.summary).toMatch(/^Send this to the model \(8 lines, the first 5 shown\): /)
    expect(asked[0]?.note).toMatch(
      /: GitHub token in settings\.ini, lines 1, 2, 3, 4, 5, 6; AWS access key in settings\.ini, line 7; Stripe key in settings\.ini, line 8\.$/,
    )
  })

  it.for([
    ['a no', (requests: readonly ApprovalRequest[]): ApprovalAnswers => requests.map(() => 'deny' as const)],
    ['being put off', (): ApprovalAnswers => 'later'],
    ['nonsense', (): ApprovalAnswers => []],
  ] as const)('%s is a no, and the call still has its result', async ([, answers]) => {
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(set('ask', answers).options)
    const [result] = await runtime.run([read], fromModel)
    expect(result?.ok).toBe(true)
    expect(result?.content).toContain('DB_PASSWORD=[redacted]')
  })

  it('nobody to ask is a no', async () => {
    const runtime = await bench({ 'settings.ini': SETTINGS }).open()
    const [result] = await runtime.run([read], fromModel)
    expect(result?.content).toContain('DB_PASSWORD=[redacted]')
  })

  it('allow lets it pass without a question', async () => {
    const { asked, options } = set('allow', once)
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(options)
    expect((await runtime.run([read], fromModel))[0]?.content).toBe(SETTINGS)
    expect(asked).toHaveLength(0)
  })

  it('what a person calls by hand is theirs, whatever the setting', async () => {
    const { asked, options } = set('deny')
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(options)
    expect((await runtime.run([read]))[0]?.content).toBe(SETTINGS)
    expect(asked).toHaveLength(0)
  })

  it('a variable that the call itself sets, changes or takes away is as secret as it is by then', async () => {
    onTestFinished(() => void delete process.env['SHIELD_TEST_TOKEN'])
    const say = reader('say', ({ word = '' }) => {
      if (word === '') delete process.env['SHIELD_TEST_TOKEN']
      else process.env['SHIELD_TEST_TOKEN'] = word
      return { said: 'first-plain-value, second-plain-value' }
    })
    const runtime = await bench().open({ ...set('deny').options, tools: [say] })
    const saidAfter = async (...words: readonly string[]): Promise<readonly unknown[]> => {
      const calls = words.map((word, at) => ({ id: `c${at}`, name: 'say', args: { word } }))
      return (await runtime.run(calls, fromModel)).map((result) => outputOf(result)['said'])
    }
    // Twice the same, so that what was remembered of the first one is used.
    expect(await saidAfter('', '')).toEqual(Array(2).fill('first-plain-value, second-plain-value'))
    expect(await saidAfter('first-plain-value')).toEqual(['[redacted], second-plain-value'])
    expect(await saidAfter('second-plain-value')).toEqual(['first-plain-value, [redacted]'])
    expect(await saidAfter('')).toEqual(['first-plain-value, second-plain-value'])
  })

  it('a value that was kept from commands is a secret without looking like one, in any part of a result', async () => {
    stripped()
    const b = bench({ 'a.txt': `x ${KEPT} y\n` })
    const runtime = await b.open(set('deny').options)
    const search = { id: 's', name: 'search', args: { query: KEPT } }
    const [found] = await runtime.run([search], fromModel)
    expect(JSON.stringify(found)).not.toContain(KEPT)
    expect(outputOf(found)['redacted']).toEqual(expect.any(String))
    expect(found?.content).toContain(String(outputOf(found)['redacted']))
    const failing = { id: 'e', name: 'edit_file', args: { path: 'a.txt', old: 'nowhere', new: 'z' } }
    await runtime.run([{ id: 'r', name: 'read_file', args: { path: 'a.txt' } }], fromModel)
    const [failed] = await runtime.run([failing], fromModel)
    expect(errorOf(failed).code).toBe('execution_failed')
    expect(JSON.stringify(failed)).not.toContain(KEPT)
  })

  it('a variable is withheld from commands by its name; its value is hidden only if it can be a secret', async () => {
    process.env['AWS_DEFAULT_REGION'] = 'eu-central-1'
    process.env['AWS_SHIELD_TEST'] = 'q7Xw2LkP9zR4'
    onTestFinished(() => {
      delete process.env['AWS_DEFAULT_REGION']
      delete process.env['AWS_SHIELD_TEST']
    })
    const text = 'region is eu-central-1\nid is q7Xw2LkP9zR4\n'
    const runtime = await bench({ 'settings.ini': text }).open(set('deny').options)
    const [result] = await runtime.run([read], fromModel)
    expect(result?.content).toMatch(/^region is eu-central-1\nid is \[redacted\]\n/)
  })

  it('FR-OUT-04: the words about it keep to the limit of the output, however small', async () => {
    const b = bench({ 'settings.ini': SETTINGS })
    for (const most of [1, 20, 60, 110, 120, 160, 200]) {
      const { options } = set('deny')
      const config = { ...options.config, 'tools.output.max_bytes': most }
      const runtime = await b.open({ ...options, config })
      const [result] = await runtime.run([read], { ...fromModel, session: `most-${most}` })
      expect(Buffer.byteLength(result?.content ?? '')).toBeLessThanOrEqual(most)
      expect(result?.content).not.toContain('hunter2222')
    }
  })

  it('what a failed tool advises to do next is no way around it', async () => {
    stripped()
    const advises = reader('advises', () => {
      throw failure('execution_failed', 'Not logged in.', {}, ['Try it again.', `Log in with ${KEPT}.`])
    })
    const { asked, options } = set('ask', (requests) => requests.map(() => 'deny' as const))
    const runtime = await bench().open({ ...options, tools: [advises] })
    const [result] = await runtime.run([{ id: 'a', name: 'advises', args: {} }], fromModel)
    expect(JSON.stringify(result)).not.toContain(KEPT)
    expect(errorOf(result).recovery).toEqual(['Try it again.', 'Log in with [redacted].'])
    expect(result?.content).toContain('\nLog in with [redacted].')
    expect(asked[0]?.summary).toContain('Log in with [redacted]')
  })

  it('what a tool executes is never redacted', async () => {
    stripped()
    const b = bench()
    const runtime = await b.open(set('deny', once).options)
    const content = `PASSWORD=hunter2222 ${KEPT}\n`
    const write = { id: 'w', name: 'write_file', args: { path: 'out.txt', content } }
    outputOf((await runtime.run([write], fromModel))[0])
    expect(readFileSync(join(b.root, 'out.txt'), 'utf8')).toBe(content)
    const shell = {
      id: 's',
      name: 'run_shell',
      args: { cmd: ['sh', '-c', 'printf %s "$0" | wc -c', 'PASSWORD=hunter2222'] },
    }
    expect(outputOf((await runtime.run([shell], fromModel))[0])).toMatchObject({ stdout: '19\n' })
  })

  it('is on record as the model got it, and why says what was decided', async () => {
    const { options } = set('deny')
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(options)
    const [result] = await runtime.run([read], fromModel)
    const [why] = runtime.why(result?.execution.id ?? '')
    expect(why).toMatchObject({ verdict: 'allowed' })
    expect(why?.gates.at(-1)).toMatchObject({
      gate: 'secrets',
      fact: expect.stringContaining('secrets.to_model is deny') as string,
    })
    const agreedTo = await bench({ 'settings.ini': SETTINGS }).open({
      ...set('ask', once).options,
      actor: { id: 'ada' },
    })
    const [shown] = await agreedTo.run([read], fromModel)
    expect(agreedTo.why(shown?.execution.id ?? '')[0]?.gates.at(-1)?.fact).toContain('ada agreed')
    const plain = await bench({ 'settings.ini': 'host = db\n' }).open(options)
    const [clean] = await plain.run([read], fromModel)
    expect(plain.why(clean?.execution.id ?? '')[0]?.gates.map(({ gate }) => gate)).not.toContain('secrets')
  })

  it('a batch of a model that waited is shielded by whoever answers it', async () => {
    const b = bench({ 'settings.ini': SETTINGS })
    const config = { 'secrets.to_model': 'deny' }
    const runtime = await b.open({ config, approve: 'later' })
    const write = { id: 'w', name: 'write_file', args: { path: 'n.txt', content: 'n\n' } }
    await runtime.run([write, { ...read, id: 'r' }], fromModel)
    const { results } = await runtime.decide('all', { isApproved: true })
    expect(results[1]?.content).toContain('DB_PASSWORD=[redacted]')
  })

  it('stays within what the answer may weigh', async () => {
    const config = { 'secrets.to_model': 'deny', 'tools.output.max_bytes': 400 }
    const text = `PASSWORD=hunter2222\n${'x'.repeat(360)}`
    const runtime = await bench({ 'settings.ini': text }).open({ config })
    const [result] = await runtime.run([read], fromModel)
    expect(Buffer.byteLength(result?.content ?? '')).toBeLessThanOrEqual(400)
    expect(result?.content).toContain('was removed from this result')
  })

  it('says what was hidden and where, without the value', async () => {
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(set('deny').options)
    const [result] = await runtime.run([read], fromModel)
    expect(result?.hidden).toEqual([{ file: 'settings.ini', line: 2, kind: 'password', characters: 10 }])
    const later = { ...read, id: 'c2', args: { path: 'settings.ini', start_line: 2 } }
    expect((await runtime.run([later], fromModel))[0]?.hidden).toMatchObject([{ line: 2 }])
    const search = { id: 's', name: 'search', args: { query: 'PASSWORD' } }
    const [found] = await runtime.run([search], fromModel)
    expect(found?.hidden).toMatchObject([{ file: 'settings.ini', line: 2, kind: 'password' }])
    expect(JSON.stringify(found)).not.toContain('hunter2222')
    const clean = { id: 'c3', name: 'read_file', args: { path: 'settings.ini', start_line: 3 } }
    expect((await runtime.run([clean], fromModel))[0]).not.toHaveProperty('hidden')
  })

  it('ordinary code goes through untouched and unasked', async () => {
    const code = 'const nextToken = sourceCode.getTokenAfter(token)\npassword: z.string().min(8),\n'
    const { asked, options } = set('ask', once)
    const runtime = await bench({ 'settings.ini': code }).open(options)
    const [result] = await runtime.run([read], fromModel)
    expect(result?.content).toBe(code)
    expect(asked).toHaveLength(0)
  })
})

describe('a value that is said not to be a secret', () => {
  const remember = (requests: readonly ApprovalRequest[]): ApprovalAnswers =>
    requests.map(({ scopes }) => ({
      answer: 'scope' as const,
      scope: scopes[0]?.scope ?? { kind: 'tool' as const },
    }))

  it('is remembered in every later process, by a hash and never by itself, until that is revoked', async () => {
    const b = bench({ 'settings.ini': SETTINGS, 'other.ini': 'x\nDB_PASSWORD=hunter2222\n' })
    const first = set('ask', remember)
    const runtime = await b.open({ ...first.options, durability: 'normal' })
    expect((await runtime.run([read], fromModel))[0]?.content).toBe(SETTINGS)
    expect(first.asked[0]?.scopes[0]?.sentence).toBe(
      'Not a secret, remember: this value (password, 10 characters) may go to models without a question.',
    )
    await runtime.close()
    const second = set('ask', (requests) => requests.map(() => 'deny' as const))
    const later = await b.open({ ...second.options, durability: 'normal' })
    const other = { id: 'o', name: 'read_file', args: { path: 'other.ini' } }
    expect((await later.run([other], fromModel))[0]?.content).toContain('DB_PASSWORD=hunter2222')
    expect(second.asked).toHaveLength(0)
    const { grants } = await later.grants()
    expect(grants).toHaveLength(1)
    expect(JSON.stringify(grants)).not.toContain('hunter2222')
    expect(grants[0]?.sentence).toMatch(/^Models may be sent a value that is not a secret \([0-9a-f]{12}\)/)
    await later.revoke(grants[0]?.id ?? '')
    expect((await later.run([{ ...other, id: 'p' }], fromModel))[0]?.content).toContain('[redacted]')
    expect(second.asked).toHaveLength(1)
  })

  it('allows no call, and no other value', async () => {
    const b = bench({ 'settings.ini': SETTINGS, 'other.ini': 'DB_PASSWORD=different77\n' })
    const { asked, options } = set('ask', remember)
    const runtime = await b.open(options)
    await runtime.run([read], fromModel)
    const other = { id: 'o', name: 'read_file', args: { path: 'other.ini' } }
    await runtime.run([other], fromModel)
    expect(asked).toHaveLength(2)
    expect(new Set(asked.map(({ scopes }) => JSON.stringify(scopes[0]?.scope))).size).toBe(2)
  })

  it('is never a value that commands are not given, nor one that the question did not offer', async () => {
    stripped()
    const kept = set('ask', once)
    const withKept = await bench({ 'settings.ini': `x ${KEPT} y\n` }).open(kept.options)
    await withKept.run([read], fromModel)
    expect(kept.asked[0]?.scopes).toEqual([])
    const { options } = set('ask', (requests) =>
      requests.map(() => ({ answer: 'scope' as const, scope: { kind: 'values' as const, digests: ['0'] } })),
    )
    const runtime = await bench({ 'settings.ini': SETTINGS }).open(options)
    expect((await runtime.run([read], fromModel))[0]?.content).toContain('[redacted]')
    expect((await runtime.grants()).grants).toEqual([])
  })
})
