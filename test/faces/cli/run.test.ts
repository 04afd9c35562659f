import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { eventsJsonSchema } from '../../../src/agent/events-schema.ts'
import { compileSchema } from '../../../src/schema/compile-schema.ts'
import { startModelServer } from '../../model/model-server.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { inRoot, makeShop, shopHere, TONGS, writes } from './command-line.ts'
import type { CommandEnd, Shop } from './command-line.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

const schema = compileSchema(eventsJsonSchema())

interface Event {
  readonly event: string
  readonly [field: string]: unknown
}

/** A shop with a script to be run in it. */
function shop(turns: readonly object[], files: Readonly<Record<string, string>> = { 'a.txt': 'alpha\n' }) {
  const made = makeShop(files)
  shops.push(made)
  const script = join(made.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns }))
  const model = ['--model', `script:${script}`]
  const here = shopHere(made)
  const talk = (...words: readonly string[]) => here.tongs(['run', ...words, ...model, '--json'])
  return { made, here, talk, script, model }
}

function eventsOf({ out }: CommandEnd): readonly Event[] {
  const events = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)
  for (const event of events) expect(schema.ok && schema.validate(event), JSON.stringify(event)).toEqual([])
  return events
}

const kinds = (end: CommandEnd) => eventsOf(end).map(({ event }) => event)
const stopOf = (end: CommandEnd) => eventsOf(end).at(-1)?.['stop']
const read = { id: 'c1', name: 'read_file', args: { path: 'a.txt' } }

describe('what was hidden from the model', () => {
  it('is said on stderr and in the events: file, line and kind, never the value', async () => {
    const files = { 'a.txt': 'host = db\nDB_PASSWORD=hunter2222\n' }
    const s = shop([{ calls: [read] }, { text: 'Done.' }], files)
    const shown = await s.made.tongs(['run', 'go', ...s.model, '--no-input'])
    expect(shown.err).toContain('tongs: hidden from the model: a.txt:2, password, 10 characters\n')
    const end = await s.made.tongs(['run', 'go', ...s.model, '--json', '--no-input'])
    expect(eventsOf(end).find(({ event }) => event === 'result')).toMatchObject({
      hidden: [{ file: 'a.txt', line: 2, kind: 'password', characters: 10 }],
    })
    expect(shown.out + shown.err + end.out + end.err).not.toContain('hunter2222')
  })
})

describe('an ending that is refused', () => {
  it('stands on a line of its own', async () => {
    const s = shop([{ text: 'Done.' }, { text: 'Really.' }, { text: 'I insist.' }])
    const rules = '[{ tool = "list_files", type = "RequiredBeforeExit" }]'
    const end = await s.made.tongs(['run', 'go', ...s.model, '--no-input', '--set', `tools.rules=${rules}`])
    expect(end.out).toMatch(/^Done\.\nReally\.\nI insist\.\n/)
  })
})

describe('calls that are held', () => {
  it('are listed again by pending and by run --continue, each with its id', async () => {
    const s = shop([{ calls: [read] }, { text: 'Done.' }])
    const parseOnly = ['--set', 'tools.mode="parse_only"', '--session', 'h']
    expect((await s.made.tongs(['run', 'go', ...s.model, ...parseOnly])).code).toBe(4)
    const pending = await s.made.tongs(['pending'])
    expect(pending.out).toContain('read_file {"path":"a.txt"}')
    const listed = JSON.parse((await s.made.tongs(['pending', '--json'])).out) as {
      held: { execution: string; answer: string }[]
    }
    expect(listed).toMatchObject({
      approvals: [
        {
          kind: 'held',
          session: 'h',
          call: { id: 'c1', name: 'read_file', args: { path: 'a.txt' } },
          answer: expect.stringContaining('/tool ') as string,
        },
      ],
      held: [{ session: 'h', id: 'c1', name: 'read_file', args: { path: 'a.txt' } }],
    })
    const [{ execution, answer } = { execution: '', answer: '' }] = listed.held
    const approved = await s.made.tongs(['approve', execution])
    expect([approved.code, approved.err]).toEqual([1, expect.stringContaining(`supply it with ${answer}`)])
    expect(answer).toBe(`tongs run --continue --session h "/tool ${execution} RESULT"`)
    expect(pending.out).toContain(answer)
    const again = await s.made.tongs(['run', '--continue', ...s.model, ...parseOnly])
    expect(again.code).toBe(4)
    expect(again.out).toContain('• read_file {"path":"a.txt"}')
    expect(again.err).toContain('Waiting: c1.')
  })
})

describe('the command that supplies a result', () => {
  it('holds nothing that a model wrote, and works', async () => {
    const id = 'x"; touch PLANTED; echo "$(touch PLANTED)'
    const s = shop([{ calls: [{ ...read, id }] }, { text: 'Done.' }])
    const session = "it's mine"
    const parseOnly = ['--set', 'tools.mode="parse_only"', '--session', session]
    expect((await s.made.tongs(['run', 'go', ...s.model, ...parseOnly])).code).toBe(4)
    const { held } = JSON.parse((await s.made.tongs(['pending', '--json'])).out) as {
      held: { execution: string; answer: string }[]
    }
    const answer = held[0]?.answer ?? ''
    expect(answer).not.toContain('PLANTED')
    expect(answer).toContain(`--session "it's mine" "/tool `)
    const line = `/tool ${held[0]?.execution ?? ''} it says a`
    expect((await s.made.tongs(['run', '--continue', line, ...s.model, ...parseOnly])).code).toBe(0)
  })
})

describe('the end of a turn', () => {
  it('names every file that the turn changed, by commands too', async () => {
    const write = (id: string, path: string, content: string) => ({
      id,
      name: 'write_file',
      args: { path, content },
    })
    const s = shop([
      { calls: [write('c1', 'new.txt', '1\n'), write('c2', 'gone.txt', '2\n')] },
      {
        calls: [{ id: 'c3', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo x >> a.txt; rm gone.txt'] } }],
      },
      { text: 'Done.' },
      { text: 'Nothing.' },
    ])
    const first = eventsOf(await s.talk('go', '--yes', '--session', 's'))
    expect(first.at(-1)).toMatchObject({
      event: 'done',
      changes: [
        { path: 'a.txt', change: 'modified' },
        { path: 'new.txt', change: 'created' },
      ],
    })
    const second = eventsOf(await s.talk('and now?', '--yes', '--session', 's'))
    expect(second.at(-1)).toMatchObject({ event: 'done', changes: [] })
  })

  it('names some of many files for people, the one that was modified among them, and counts the others', async () => {
    const line = 'mkdir n; for i in $(seq 10 39); do echo > n/$i; done; echo x >> a.txt'
    const cmd = ['sh', '-c', line]
    const s = shop([{ calls: [{ id: 'c1', name: 'run_shell', args: { cmd } }] }, { text: 'Done.' }])
    const { err } = await s.made.tongs(['run', 'go', ...s.model, '--yes', '--session', 's'])
    expect(err).toContain('tongs: changed a.txt, n/10, ')
    expect(err).toMatch(/n\/20 and 19 more; tongs undo --turn --session s undoes it/)
  })
})

describe('tongs run', () => {
  it('marks a command that failed as failed, although its exit code is data for the model', async () => {
    const run = (id: string, ...cmd: readonly string[]) => ({ id, name: 'run_shell', args: { cmd } })
    const s = shop([
      {
        text: 'Running.',
        calls: [run('c1', 'true'), run('c2', 'sh', '-c', 'exit 3'), run('c3', 'sh', '-c', 'kill -9 $$')],
      },
      { text: 'Done.' },
    ])
    const end = await s.made.tongs(['run', 'go', ...s.model, '--yes'])
    expect(end.code).toBe(0)
    expect(end.out.split('\n').filter((line) => /^[✓✗]/.test(line))).toEqual([
      '✓ run_shell',
      '✗ run_shell exit code 3',
      '✗ run_shell ended by SIGKILL',
    ])
  })

  it('prints the events of a turn, one per line, and exits by how it ended', async () => {
    const s = shop([{ text: 'Looking.', calls: [read] }, { text: 'Done.' }])
    const end = await s.made.tongs(['run', 'go', ...s.model, '--json'])
    expect(kinds(end)).toEqual(['turn', 'text', 'call', 'result', 'text', 'done'])
    expect(eventsOf(end).at(-1)).toMatchObject({
      stop: 'end',
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number), cached_tokens: 0 },
    })
    expect(end.code).toBe(0)
  })

  it('says first who speaks and what confines commands, in the words that were configured', async () => {
    const s = shop([{ text: 'Done.' }])
    const vouched = [
      '--set',
      'tools.shell.sandbox=external',
      '--set',
      'tools.shell.external_label="a blue box"',
    ]
    const end = await s.made.tongs(['run', 'go', ...s.model, ...vouched])
    expect(end.err).toContain(`script:${s.script}; tools are enabled, approval is prompt; `)
    expect(end.err).toContain('commands are confined from outside: a blue box')
  })

  it('waits for approvals with 4, and goes on with them once they are answered', async () => {
    const s = shop([{ calls: [writes('b')] }, { text: 'Done.' }])
    const first = await s.talk('go')
    expect([first.code, stopOf(first)]).toEqual([4, 'approval_pending'])
    expect(eventsOf(first).find(({ event }) => event === 'approval')).toMatchObject({
      call: { name: 'write_file' },
    })
    const waiting = await s.talk('--continue')
    expect([waiting.code, stopOf(waiting)]).toEqual([4, 'approval_pending'])
    await s.here.tongs(['approve', 'all'])
    const second = await s.talk('--continue')
    expect([second.code, stopOf(second)]).toEqual([0, 'end'])
    expect(kinds(second)).toEqual(['turn', 'result', 'text', 'done'])
    expect(s.made.get('b')).toBe('b\n')
  })

  it('FR-MODE-02: holds calls with 4, takes their results, tells how many are in, and goes on', async () => {
    const s = shop([{ calls: [read, { ...read, id: 'c2' }] }, { text: 'Done.' }])
    const strict = ['--profile', 'strict', '--session', 's']
    const first = await s.talk('go', ...strict)
    expect([first.code, stopOf(first)]).toEqual([4, 'held'])
    const second = await s.talk('/tool c1 it says alpha', ...strict)
    expect([second.code, second.err.includes('1 of 2')]).toEqual([4, true])
    const wrong = await s.talk('/tool c9 what', ...strict)
    expect([wrong.code, wrong.err.includes('c2')]).toEqual([1, true])
    const last = await s.talk('/tool error c2 it is gone', ...strict)
    expect([last.code, stopOf(last)]).toEqual([0, 'end'])
  })

  it('a line that answers for a held call never reaches a model where none is held', async () => {
    const s = shop([{ text: 'Never.' }])
    const end = await s.talk('/tool c1 it says alpha')
    expect([end.code, end.out]).toEqual([1, ''])
    expect(end.err).toMatch(/No call is waiting for a result.*held for you.*put a word before it/)
    const held = shop([{ calls: [read] }, { text: 'Done.' }])
    await held.talk('go', '--profile', 'strict')
    const bare = await held.talk('/tool', '--continue', '--profile', 'strict')
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('/tool ID RESULT')])
  })

  it('FR-MODE-02: names what is held by its id, and how to supply the result without naming the model again', async () => {
    const s = shop([{ calls: [read] }, { text: 'Done.' }])
    const first = await s.here.tongs(['run', 'go', ...s.model, '--profile', 'strict'])
    expect(first.out).toContain('• read_file c1 Held')
    expect(first.err).toContain('tongs run --continue "/tool ID RESULT"')
    const last = await s.here.tongs(['run', '--continue', '/tool c1 it says alpha', '--profile', 'strict'])
    expect([last.code, last.out.includes('Done.')]).toEqual([0, true])
  })

  it('FR-TUI-04: says which results are awaited where other words come, and takes none for a call that is not held', async () => {
    const s = shop([{ calls: [read] }, { text: 'Done.' }])
    const early = await s.talk('/tool c1 x', '--profile', 'strict')
    expect([early.code, early.out]).toEqual([1, ''])
    expect(early.err).toContain('No call is waiting for a result')
    await s.talk('go', '--profile', 'strict')
    const [refused, done] = eventsOf(await s.talk('and then?', '--continue', '--profile', 'strict'))
    expect(refused).toMatchObject({
      event: 'error',
      code: 'held',
      message: expect.stringContaining('/tool ID RESULT'),
    })
    expect(refused?.['message']).toContain('Waiting: c1.')
    expect(done).toMatchObject({ event: 'done', stop: 'held' })
  })

  it('shows a message that broke off and was said anew without the line that broke off', async () => {
    const say = (content: string, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`
    const torn = { pieces: [say('One line\nHel')], ending: 'tear' } as const
    const whole = { pieces: [say('Hello.'), say('', 'stop')] }
    const server = await startModelServer(torn, whole, torn, whole)
    const s = shop([])
    const words = ['run', 'go', '--model', 'compatible/x', '--base-url', server.url]
    const quickly = ['--set', 'model.retry.first_seconds=0']
    const end = await s.here.tongs([...words, ...quickly])
    expect([end.code, end.out]).toEqual([0, 'One line\nHello.\n'])
    expect(end.err).toContain('discarding the partial message')
    const events = eventsOf(await s.here.tongs([...words, ...quickly, '--json']))
    const texts = events.flatMap(({ event, text, starts_over: isAnew }) =>
      event === 'text' ? [[text, isAnew]] : [],
    )
    expect(texts).toEqual([
      ['One line\nHel', undefined],
      ['Hello.', true],
    ])
  })

  it('says why an answer is none', async () => {
    const refusal = { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'content_filter' }] }
    const server = await startModelServer({ pieces: [`data: ${JSON.stringify(refusal)}\n\n`] })
    const s = shop([])
    const words = ['run', 'go', '--model', 'compatible/x', '--base-url', server.url]
    const end = await s.here.tongs(words)
    expect([end.code, end.err.includes('refused to answer')]).toEqual([0, true])
    expect(eventsOf(await s.here.tongs([...words, '--json'])).at(-1)).toMatchObject({
      stop: 'end',
      cut: 'refused',
    })
  })

  it('reads a prompt from stdin where it is told to', async () => {
    const s = shop([{ text: 'Hello.' }])
    const said = await s.made.tongs(['run', '-', ...s.model, '--json'], { stdin: 'Greet\nme.\n' })
    expect([said.code, kinds(said)]).toEqual([0, ['turn', 'text', 'done']])
    const log = await s.here.tongs(['log', '--json'])
    expect(log.out).toContain('"role":"user"')
    const silent = await s.made.tongs(['run', '-', ...s.model], { stdin: ' \n' })
    expect([silent.code, silent.err.includes('needs a prompt')]).toEqual([2, true])
  })

  it('exits with 1 at the limit of rounds, at the end of the budget, and where the model fails', async () => {
    const s = shop(Array.from({ length: 9 }, () => ({ calls: [read] })))
    const limited = await s.talk(
      'go',
      '--set',
      'tools.max_tool_iterations_per_user_turn=1',
      '--session',
      'one',
    )
    expect([limited.code, stopOf(limited)]).toEqual([1, 'max_iterations'])
    const spent = await s.talk('go', '--max-tokens', '5', '--session', 'two')
    expect([spent.code, stopOf(spent)]).toEqual([1, 'budget'])
    expect(kinds(spent).filter((kind) => kind === 'call' || kind === 'result')).toEqual(['call', 'result'])
    const words = ['run', 'go', '--model', 'compatible/x', '--base-url', 'http://127.0.0.1:1/v1', '--json']
    const failed = await s.here.tongs([...words, '--set', 'model.retry.max=0'])
    expect([failed.code, kinds(failed)]).toEqual([1, ['turn', 'error']])
  })

  it.for([
    [['run'], 'needs a prompt'],
    [['run', ' '], 'needs a prompt'],
    [['run', 'go', '--protocol', 'odd', '--model', 'script:x'], 'must be native, fenced or auto'],
    [['run', 'go', '--max-tokens', 'many', '--model', 'script:x'], 'not a valid number'],
    [['run', 'go', '--max-tokens', '1.5', '--model', 'script:x'], 'whole number'],
    [['run', 'go', '--max-tokens', '-1', '--model', 'script:x'], 'not a valid number'],
    [['run', 'go', '--max-seconds', 'NaN', '--model', 'script:x'], 'not a valid number'],
    [['run', 'go', '--max-cost', 'Infinity', '--model', 'script:x'], 'not a valid number'],
    [['run', 'go', '--max-cost=', '--model', 'script:x'], 'not a valid number'],
    [['run', 'go', '--model', 'odd'], 'is not a model'],
    [['run', 'go', '--model', 'script:/nowhere'], 'file not found'],
  ] as const)('is bad usage: %j', async ([words, why]) => {
    const { code, err } = await shop([]).here.tongs([...words])
    expect([code, err.includes(why)]).toEqual([2, true])
  })

  it('goes on with the model and the server of a session, says so, and keeps no key; the option overrides', async () => {
    const chunk = (delta: object, end: string | null = null) =>
      `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`
    const answer = { pieces: [chunk({ content: 'Yes.' }), chunk({}, 'stop'), 'data: [DONE]\n\n'] }
    const [one, other] = [await startModelServer(answer), await startModelServer(answer)]
    const s = shop([])
    vi.stubEnv('COMPATIBLE_API_KEY', 'key-of-nobody-else')
    const run = (...words: readonly string[]) => s.here.tongs(['run', ...words])
    await run('first', '--model', 'compatible/m', '--base-url', `${one.url}/v1/`)
    const second = await run('second', '--continue')
    expect([second.code, second.out.trim()]).toEqual([0, 'Yes.'])
    expect(second.err).toMatch(
      new RegExp(`continuing session \\d{6}-\\d{6}-\\w{4} with compatible/m at ${one.url}/v1`),
    )
    const third = await run('third', '--continue', '--base-url', `${other.url}/v1`)
    expect(third.err).toContain(`at ${other.url}/v1`)
    await run('fourth', '--continue', '--model', 'compatible/m')
    expect([one.seen.length, other.seen.length]).toEqual([2, 2])
    const another = await run('fifth', '--continue', '--model', 'compatible/another')
    expect([another.code, another.err]).toEqual([2, expect.stringContaining('needs a base URL')])
    vi.unstubAllEnvs()
    expect(one.seen[0]?.headers.authorization).toContain('key-of-nobody-else')
    const log = await s.here.tongs(['log', '--json'])
    expect(log.out).toContain(`"base_url":"${one.url}/v1"`)
    expect(log.out).not.toContain('key-of-nobody-else')
  })

  it('a session with damaged words still opens: what is damaged is named and left out', async () => {
    const s = shop([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    await s.talk('first', '--session', 's')
    await s.talk('second', '--session', 's')
    const spoil = (sql: string): void => {
      const database = new DatabaseSync(join(s.made.stateDir, 'journal.db'))
      database.exec(sql)
      database.close()
    }
    spoil("UPDATE log SET body = '{ torn' WHERE id = (SELECT max(id) FROM log WHERE kind = 'said')")
    const third = await s.here.tongs(['run', 'third', ...s.model, '--session', 's'])
    expect([third.code, third.out.includes('Three.')]).toEqual([0, true])
    expect(third.err).toMatch(
      /Entry \d+ \(said\) is damaged and was skipped; run tongs audit verify for details/,
    )
    expect((await s.here.tongs(['log'])).out).toMatch(/damaged +Entry \d+ \(said\)/)
    const verified = await s.here.tongs(['audit', 'verify', '--json'])
    expect([verified.code, verified.out]).toEqual([1, expect.stringContaining('"ok":false')])
  })

  it('a session with a damaged call goes on after it, and says so', async () => {
    const s = shop([{ calls: [read] }, { text: 'One.' }, { text: 'Two.' }])
    await s.talk('first')
    const database = new DatabaseSync(join(s.made.stateDir, 'journal.db'))
    database.exec("UPDATE log SET body = '{ torn' WHERE kind = 'settled'")
    database.close()
    const second = await s.here.tongs(['run', 'second', ...s.model, '--continue'])
    expect([second.code, second.err]).toEqual([
      0,
      expect.stringMatching(/Entry \d+ \(settled\) is damaged and was skipped; run tongs audit verify/),
    ])
    expect((await s.here.tongs(['log'])).out).toMatch(/damaged +Entry \d+ \(settled\)/)
    expect((await s.here.tongs(['audit', 'verify'])).code).toBe(1)
  })

  it('remembers a model that never answered', async () => {
    const server = await startModelServer({ status: 400, pieces: ['{"error":{"message":"no"}}'] })
    const s = shop([])
    const first = await s.here.tongs(['run', 'go', '--model', 'compatible/m', '--base-url', server.url])
    expect(first.code).toBe(1)
    await s.here.tongs(['run', '--continue'])
    expect(server.seen).toHaveLength(2)
  })

  it('with nothing to use it asks no model, and says so', async () => {
    const s = shop([{ text: 'Never.' }])
    const end = await s.talk('go', '--max-seconds', '0')
    expect([end.code, kinds(end), stopOf(end)]).toEqual([1, ['turn', 'done'], 'budget'])
  })

  it('wants to know the price of a model before it limits the cost', async () => {
    const s = shop([{ text: 'hi' }])
    expect((await s.talk('go', '--max-cost', '1')).code).toBe(2)
    const priced = 'model.prices=[{ model = "script:*", input = 1000000, output = 1, cached = 0 }]'
    const spent = await s.talk('go', '--max-cost', '0.5', '--set', priced)
    expect(eventsOf(spent).at(-1)).toMatchObject({ usage: { cost: expect.any(Number) } })
  })

  it('changes nothing in a dry run, and the model hears what would have happened', async () => {
    const s = shop([{ calls: [writes('b')] }, { text: 'Done.' }])
    const end = await s.talk('go', '--dry-run')
    expect([end.code, stopOf(end)]).toEqual([0, 'end'])
    expect(eventsOf(end).find(({ event }) => event === 'result')).toMatchObject({
      ok: true,
      result: { dry_run: true },
    })
    expect(s.made.get('b')).toBeNull()
  })

  it('proposes a model from the keys that are set, and shows none of them', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-hidden-1')
    vi.stubEnv('OPENAI_API_KEY', 'sk-hidden-2')
    const { code, err } = await shop([]).here.tongs(['run', 'go'])
    expect(code).toBe(2)
    expect(err).toMatch(/--model anthropic\/\S+, or openai\/\S+/)
    expect(err).not.toContain('hidden')
  })

  it('continues the newest session of the root with its model', async () => {
    const s = shop([{ text: 'one' }, { text: 'two' }])
    await s.talk('go', '--session', 'older')
    await s.talk('go', '--session', 'newer')
    const end = await s.here.tongs(['run', 'more', '--continue', '--json'])
    expect(eventsOf(end).find(({ event }) => event === 'text')).toMatchObject({ text: 'two' })
    const { out } = await s.here.tongs(['log', '--session', 'older', '--json'])
    expect(out.match(/"kind":"said"/g)).toHaveLength(2)
    const nothing = await s.here.tongs(['run', '--continue', '--json', '--session', 'newer'])
    expect([nothing.code, eventsOf(nothing)[0]?.['code']]).toEqual([1, 'nothing_to_continue'])
  })

  it('shows people whole lines, what changed, and how to take it back', async () => {
    const s = shop([{ text: 'First\nsecond', calls: [writes('b')] }, { text: 'Done.' }])
    const { out, err, code } = await s.here.tongs(['run', 'go', ...s.model, '--yes'])
    expect(code).toBe(0)
    expect(out.split('\n')).toEqual(expect.arrayContaining(['First', 'second', 'Done.']))
    expect(err).toContain('tongs undo --turn')
    await s.here.tongs(['undo', '--turn', '--yes'])
    expect(s.made.get('b')).toBeNull()
  })
})

describe('a run that is killed', () => {
  it('IT-JRN-02, FR-RES-05: in the middle of a command without a layer is asked about, never run again, and the model is told', async () => {
    const s = shop([
      {
        calls: [writes('b'), { id: 'm', name: 'run_command', args: { command: 'echo x >> marks; sleep 9' } }],
      },
      { text: 'Then I look first.' },
    ])
    const options = [
      '--yes',
      '--set',
      'tools.run_command.enabled=true',
      '--set',
      'tools.shell.layer=off',
      '--json',
    ]
    await killWhen(s.made, ['run', 'go', ...s.model, ...options], () => s.made.get('marks') !== null)
    const refused = await s.talk('go on', '--continue')
    expect(refused.code).toBe(1)
    expect(eventsOf(refused)).toMatchObject([{ event: 'error', code: 'interrupted' }])
    expect(refused.out).toContain('tongs recover')
    const left = await s.here.tongs(['recover', '--json'])
    expect(JSON.parse(left.out)).toMatchObject({
      batches: [
        {
          session: expect.stringMatching(/^\d{6}-\d{6}-\w{4}$/),
          calls: [
            { id: 'b', status: 'finished' },
            { id: 'm', status: 'in_doubt' },
          ],
        },
      ],
    })
    await s.here.tongs(['recover', '--resume'])
    const end = await s.talk('--continue')
    expect(kinds(end)).toEqual(['turn', 'recovered', 'text', 'done'])
    expect(eventsOf(end)[1]).toMatchObject({ calls: 2, in_doubt: 1 })
    expect(s.made.get('marks')).toBe('x\n')
    expect(s.made.get('b')).toBe('b\n')
  })
})

async function killWhen(made: Shop, words: readonly string[], isTime: () => boolean): Promise<void> {
  const child = spawn(TONGS, inRoot(words, made.root), {
    cwd: made.root,
    env: made.env,
    stdio: 'ignore',
    detached: true,
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  await vi.waitUntil(isTime, { timeout: PATIENCE_MS, interval: 20 })
  // The program starts another one; both are its group.
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await ended
}
