import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { makeShop, shopHere, TONGS, writes } from './command-line.ts'
import type { CommandEnd, Shop } from './command-line.ts'
import { openPane } from './pane.ts'

const shops: Shop[] = []
afterAll(() => {
  for (const made of shops) made.remove()
})

interface Listed {
  readonly name: string
  readonly title: string | null
  readonly open: boolean
  readonly [field: string]: unknown
}

/** A shop with a script; `run` starts a turn in this process. */
function shop(turns: readonly object[]) {
  const made = makeShop({ 'a.txt': 'alpha\n' })
  shops.push(made)
  const here = shopHere(made)
  const script = join(made.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns }))
  const model = ['--model', `script:${script}`]
  const run = (...words: readonly string[]) => here.tongs(['run', ...words, ...model, '--json'])
  const list = async (): Promise<readonly Listed[]> => {
    const { out } = await here.tongs(['sessions', '--json'])
    return (JSON.parse(out) as { readonly sessions: readonly Listed[] }).sessions
  }
  return { made, here, model, run, list }
}

function events({
  out,
}: CommandEnd): readonly { readonly event: string; readonly [field: string]: unknown }[] {
  return out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

const sessionOf = (end: CommandEnd): string => String(events(end)[0]?.['session'])
const textOf = (end: CommandEnd): string =>
  events(end)
    .flatMap(({ event, text }) => (event === 'text' ? [String(text)] : []))
    .join('')

describe('a run', () => {
  it('begins a session of its own, with a short name that can be typed and sorts by time, and says which', async () => {
    const s = shop([{ text: 'One.' }, { text: 'Two.' }])
    const ends = [await s.run('first'), await s.run('second'), await s.run('third')]
    const names = ends.map(sessionOf)
    expect(ends.map((end) => events(end)[0]?.event)).toEqual(['turn', 'turn', 'turn'])
    expect(ends.map(textOf)).toEqual(['One.', 'One.', 'One.'])
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]{1,20}$/)
    expect(names.toSorted()).toEqual(names)
    expect(new Set(names).size).toBe(3)
    const shown = await s.here.tongs(['run', 'for people', ...s.model])
    expect(shown.err).toMatch(/^tongs: session \d{6}-\d{6}-\w{4}\n/)
  })

  it('is not stopped by what a crash or an open question left in another session', async () => {
    const s = shop([{ calls: [writes('b')] }, { text: 'Done.' }])
    expect((await s.run('asks', '--session', 'asks')).code).toBe(4)
    const runtime = await createRuntime({ root: s.made.root, stateDir: s.made.stateDir })
    const { log } = await runtime.converse('crashed')
    log.append({
      entries: [
        {
          kind: 'batch',
          batch: 'b1',
          turn: 't',
          origin: 'model',
          actor: null,
          calls: [{ execution: 'x', id: 'c', name: 'read_file', args: 'ab' }],
        },
      ],
      reliance: 'recorded',
    })
    await runtime.close()
    expect((await s.here.tongs(['recover', '--json'])).out).toContain('"session":"crashed"')
    expect((await s.run('go', '--yes')).code).toBe(0)
    expect((await s.run('go', '--session', 'crashed')).code).toBe(1)
  })

  it('says at once that another process has its session; a call waits as it is told', async () => {
    const s = shop([{ text: 'One.' }])
    const owner = await createRuntime({ root: s.made.root, stateDir: s.made.stateDir })
    await owner.claim('busy')
    const began = performance.now()
    const refused = await s.made.tongs(['run', 'go', ...s.model, '--session', 'busy'])
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/Session busy of .* is in use by process \d+/),
    ])
    expect(refused.err).not.toContain('waiting')
    // The wait that is set is five minutes.
    expect(performance.now() - began).toBeLessThan(60_000)
    const waiting = await s.made.tongs([
      'call',
      'read_file',
      '{"path":"a.txt"}',
      '--session',
      'busy',
      '--set',
      'tools.session_wait_seconds=1',
    ])
    expect([waiting.code, waiting.err]).toEqual([1, expect.stringContaining('waiting up to 1 s')])
    expect((await s.list()).find(({ name }) => name === 'busy')).toBeUndefined()
    await owner.close()
  })

  it('keeps the model and the preset of its session; a preset that another program wrote does not count', async () => {
    const s = shop([
      { calls: [writes('b')] },
      { text: 'Done.' },
      { calls: [writes('c')] },
      { text: 'Done.' },
      { calls: [writes('d')] },
      { text: 'Done.' },
      { text: 'Done.' },
      { text: 'Done.' },
      { text: 'Done.' },
    ])
    const first = await s.run('go', '--preset', 'edits', '--no-input')
    expect([first.code, s.made.get('b')]).toEqual([0, 'b\n'])
    const again = await s.here.tongs(['run', 'more', '--continue', '--json', '--no-input'])
    expect([again.code, s.made.get('c')]).toEqual([0, 'c\n'])
    expect(await s.list()).toMatchObject([{ preset: 'edits', model: s.model[1] }])
    const database = new DatabaseSync(join(s.made.stateDir, 'journal.db'))
    database.exec(
      'UPDATE log SET body = replace(body, \'"preset":"edits"\', \'"preset":"auto"\') WHERE kind = \'opened\'',
    )
    database.close()
    expect(await s.list()).toMatchObject([{ preset: null }])
    const planned = await s.here.tongs(['run', 'more', '--continue', '--json', '--no-input'])
    expect([planned.code, s.made.get('d')]).toEqual([0, null])
    expect(planned.err).toContain('goes on with plan, which changes nothing')
    // What it falls to was not chosen, so it is said again until something is.
    expect(await s.list()).toMatchObject([{ preset: null }])
    const told = await s.here.tongs(['run', 'more', '--continue', '--json', '--no-input'])
    expect(told.err).toContain('goes on with plan, which changes nothing')
    const chosen = await s.here.tongs([
      'run',
      'more',
      '--continue',
      '--preset',
      'configured',
      '--json',
      '--no-input',
    ])
    expect(chosen.err).not.toContain('plan')
    const after = await s.here.tongs(['run', 'more', '--continue', '--json', '--no-input'])
    expect(after.err).not.toContain('plan')
  })
})

describe('--continue', () => {
  it('goes on where a question was answered, names several, and else takes the last that run or the app used', async () => {
    const s = shop([{ calls: [writes('b')] }, { text: 'Done.' }])
    const none = await s.run('--continue')
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('no session to continue')])
    const [first, second, third] = [
      sessionOf(await s.run('one', '--no-input')),
      sessionOf(await s.run('two', '--no-input')),
      sessionOf(await s.run('three', '--no-input')),
    ]
    await s.here.tongs(['call', 'read_file', '{"path":"a.txt"}'])
    const last = await s.run('--continue')
    expect([last.code, events(last).at(-1)?.['stop']]).toEqual([4, 'approval_pending'])
    await s.here.tongs(['approve', 'all', '--session', first])
    await s.here.tongs(['deny', 'all', '--session', second])
    const several = await s.run('--continue')
    expect(several.code).toBe(2)
    expect(several.err).toContain(`${first}, ${second}`)
    const named = await s.run('--continue', '--session', second)
    expect([named.code, sessionOf(named)]).toEqual([0, second])
    // A call that is held has no result yet, so its turn was not answered.
    const held = await s.run('held', '--session', 'held', '--set', 'tools.mode="parse_only"')
    expect(held.code).toBe(4)
    const left = await s.run('--continue')
    expect([left.code, sessionOf(left)]).toEqual([0, first])
    expect(s.made.get('b')).toBe('b\n')
    await s.here.tongs(['approve', 'all', '--session', third])
    expect(sessionOf(await s.run('--continue'))).toBe(third)
    expect(sessionOf(await s.run('more', '--continue'))).toBe(third)
  })
})

describe('tongs sessions', () => {
  it('lists the sessions of a root, the newest first, with exactly these fields', async () => {
    const s = shop([{ calls: [{ id: 'c', name: 'read_file', args: { path: 'a.txt' } }] }, { text: 'Done.' }])
    expect(await s.list()).toEqual([])
    await s.run('first words\nof a prompt', '--session', 'one')
    await s.run(
      'my key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789-abcdefghijklmnopqrstuvwxyz0123456789',
      '--session',
      'two',
    )
    await s.here.tongs(['call', 'read_file', '{"path":"a.txt"}'])
    const listed = await s.list()
    expect(listed.map(({ name, title }) => [name, title])).toEqual([
      ['cli', null],
      ['two', expect.stringMatching(/^my key is (?!.*abcdefghijkl)/)],
      ['one', 'first words of a prompt'],
    ])
    expect(listed[2]).toEqual({
      name: 'one',
      title: 'first words of a prompt',
      model: s.model[1],
      preset: null,
      messages: 3,
      calls: 1,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      open: false,
    })
    const shown = await s.here.tongs(['sessions'])
    expect(shown.out).toMatch(/^one {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}first words of a prompt$/m)
  })

  it('says which a live process has open', async () => {
    const s = shop([{ text: 'One.' }])
    await s.run('go', '--session', 'one')
    const owner = await createRuntime({ root: s.made.root, stateDir: s.made.stateDir })
    await owner.claim('one')
    const during = await s.made.tongs(['sessions', '--json'])
    expect(JSON.parse(during.out)).toMatchObject({ sessions: [{ name: 'one', open: true }] })
    await owner.close()
    expect(await s.list()).toMatchObject([{ name: 'one', open: false }])
  })

  it('shows the newest on a terminal and says how many there are, and lists all to a program', async () => {
    const s = shop([])
    const runtime = await createRuntime({ root: s.made.root, stateDir: s.made.stateDir })
    for (let n = 10; n < 33; n++)
      await runtime.run([{ id: 'c', name: 'read_file', args: { path: 'a.txt' } }], { session: `s${n}` })
    await runtime.close()
    const pane = await openPane(100, 60, s.made.root, {
      TONGS_STATE_DIR: s.made.stateDir,
      HOME: s.made.env['HOME'],
      NO_COLOR: '1',
    })
    await pane.type(`'${TONGS}' sessions --root .`)
    await pane.press('Enter')
    const screen = await pane.until(/3 older ones are not shown; tongs sessions \| less lists all/)
    const newest = Array.from({ length: 20 }, (_, n) => `s${32 - n}`)
    expect([...screen.matchAll(/^(s\d\d)  /gm)].map(([, name]) => name)).toEqual(newest)
    const piped = (await s.here.tongs(['sessions'])).out
    expect([...piped.matchAll(/^(s\d\d)  /gm)]).toHaveLength(23)
    expect(piped).not.toContain('older')
    expect(await s.list()).toHaveLength(23)
  })

  it('renames one, and keeps that in the log; what is forgotten has no title', async () => {
    const s = shop([{ text: 'One.' }])
    await s.run('go', '--session', 'one')
    const renamed = await s.here.tongs(['sessions', 'rename', 'one', 'A better title'])
    expect([renamed.code, renamed.out]).toEqual([0, 'one is now called: A better title\n'])
    expect(await s.list()).toMatchObject([{ title: 'A better title' }])
    expect((await s.here.tongs(['log', '--session', 'one'])).out).toContain('renamed')
    expect((await s.here.tongs(['audit', 'verify'])).code).toBe(0)
    await s.here.tongs(['forget', 'one'])
    expect(await s.list()).toMatchObject([{ title: null }])
    expect((await s.here.tongs(['audit', 'verify'])).code).toBe(0)
    expect((await s.here.tongs(['sessions', 'rename', 'configured', 'x'])).code).toBe(1)
    expect((await s.here.tongs(['sessions', 'rename', 'one'])).code).toBe(2)
    expect((await s.here.tongs(['sessions', 'rename', 'one', ' '])).code).toBe(2)
    expect((await s.here.tongs(['sessions', '--at', '1'])).code).toBe(2)
  })
})

describe('tongs sessions fork', () => {
  const read = { id: 'c', name: 'read_file', args: { path: 'a.txt' } }
  const edit = { id: 'e', name: 'edit_file', args: { path: 'a.txt', old: 'alpha', new: 'beta' } }

  it('copies messages and no files: the copy has read nothing, and undo reaches its own calls only', async () => {
    const s = shop([
      { text: 'Look.', calls: [read, edit] },
      { text: 'Done.' },
      { calls: [edit] },
      { text: 'End.' },
    ])
    await s.run('go', '--yes', '--session', 'one')
    expect(s.made.get('a.txt')).toBe('beta\n')
    const forked = await s.here.tongs(['sessions', 'fork', 'one', '--as', 'two', '--json'])
    expect(JSON.parse(forked.out)).toEqual({ name: 'two', from: 'one', messages: 3 })
    expect(s.made.get('a.txt')).toBe('beta\n')
    const undone = await s.here.tongs(['undo', '--session', 'two', '--yes', '--json'])
    expect([undone.code, s.made.get('a.txt')]).toEqual([1, 'beta\n'])
    const next = await s.run('again', '--session', 'two', '--yes')
    expect(events(next).find(({ event }) => event === 'result')).toMatchObject({
      ok: false,
      error: { code: 'stale_file' },
    })
    expect(await s.list()).toMatchObject([
      { name: 'two', title: 'go (fork)', model: s.model[1], messages: 6, calls: 1 },
      { name: 'one', title: 'go', messages: 3, calls: 2 },
    ])
    const stats = await s.here.tongs(['stats', '--session', 'two', '--json'])
    expect(JSON.parse(stats.out)).toMatchObject({ calls: 1 })
    await s.here.tongs(['forget', 'one'])
    const kept = await s.run('what was said?', '--session', 'two', '--yes')
    expect(kept.code).toBe(0)
    expect((await s.here.tongs(['audit', 'verify'])).code).toBe(0)
  })

  it('ends with a message or the results of a call, and goes on from there by itself', async () => {
    const s = shop([
      { text: 'First.' },
      { text: 'Second.', calls: [read] },
      { text: 'Third.' },
      { text: 'Fourth.' },
    ])
    await s.run('one', '--session', 's')
    await s.run('two', '--session', 's')
    const fork = async (at: string, as: string) => {
      const { out } = await s.here.tongs(['sessions', 'fork', 's', '--at', at, '--as', as, '--json'])
      return (JSON.parse(out) as { readonly messages: number }).messages
    }
    expect(await fork('2', 'at2')).toBe(2)
    expect(textOf(await s.run('else', '--session', 'at2'))).toBe('Second.Third.')
    expect(await fork('3', 'at3')).toBe(3)
    expect(textOf(await s.run('--continue', '--session', 'at3'))).toBe('Second.Third.')
    const { out } = await s.here.tongs(['log', '--session', 's', '--json'])
    const call = /"kind":"settled".*?"execution":"(\w+)"/.exec(out)?.[1] ?? ''
    expect(await fork(call.slice(0, 20), 'call')).toBe(4)
    expect(textOf(await s.run('--continue', '--session', 'call'))).toBe('Third.')
    for (const words of [['s', '--at', '99'], ['s', '--at', '0zz'], ['s', '--as', 'at2'], ['nowhere']])
      expect((await s.here.tongs(['sessions', 'fork', ...words])).code).toBe(1)
  })

  it('is named by forget, because it has copies of what is erased', async () => {
    const s = shop([{ text: 'First.', calls: [read] }, { text: 'Second.' }])
    await s.run('one', '--session', 's')
    await s.here.tongs(['sessions', 'fork', 's', '--as', 'child'])
    await s.here.tongs(['sessions', 'fork', 'child', '--as', 'grandchild'])
    const { out } = await s.here.tongs(['log', '--session', 's', '--json'])
    const call = /"kind":"settled".*?"execution":"(\w+)"/.exec(out)?.[1] ?? ''
    for (const word of [call, 's']) {
      const { code, err } = await s.here.tongs(['forget', word])
      expect(code).toBe(0)
      expect(err).toMatch(/^tongs: session child was forked .*\ntongs: session grandchild was forked /)
      expect(err).toContain('tongs forget grandchild erases them')
    }
    expect((await s.here.tongs(['forget', 'grandchild'])).err).toBe('')
  })

  it('copies a session that another process has open, up to what has its results', async () => {
    const s = shop([{ text: 'First.' }, { calls: [writes('b')] }, { text: 'Done.' }])
    await s.run('one', '--session', 's')
    await s.run('two', '--session', 's', '--no-input')
    const owner = await createRuntime({ root: s.made.root, stateDir: s.made.stateDir })
    await owner.claim('s')
    const { out } = await s.made.tongs(['sessions', 'fork', 's', '--json'])
    expect(JSON.parse(out)).toMatchObject({ from: 's', messages: 3 })
    await owner.close()
    expect(s.made.get('b')).toBeNull()
  })
})
