import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../../src/pipeline/engine.ts'
import type { ToolCall } from '../../../src/core/call.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { asked, batchOf, editor, outcomes, reader } from '../sample-tools.ts'
import { AUTO, bytes, settledOf } from '../execute/staging-tools.ts'

const textOf = ({ root }: Bench, name: string): string => fs.readFileSync(join(root, name), 'utf8')
const groupable = { groupable: true }
const putter = editor(
  'puts',
  ({ path = 'a.txt', word = '' }, { edits }) => {
    edits.write(path, bytes(word))
    return { said: word }
  },
  groupable,
)

/** Writes each file by a call of its own. */
function puts(...files: readonly (readonly [path: string, word: string])[]): readonly ToolCall[] {
  return batchOf(...files.map(([path, word]) => ['puts', { path, word }] as const))
}

/** Does something else while its call runs, and stages nothing that others need. */
function acting(name: string, act: () => unknown) {
  return editor(
    name,
    async (_args, { edits }) => {
      await act()
      edits.write(`${name}.txt`, bytes(name))
      return { said: name }
    },
    groupable,
  )
}

/** What was told of a batch, in short: which call runs, and which has its result. */
function shortly(events: readonly LiveEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.event === 'state' && event.state === 'EXECUTING') return [`${event.id} runs`]
    return event.event === 'result' ? [`${event.result.id} ${event.result.ok ? 'ok' : 'failed'}`] : []
  })
}

describe('neighbouring edits of a batch', () => {
  it.each(['full', 'memory'] as const)(
    'are all run before the first of them is answered, with a record of each (%s)',
    async (durability) => {
      const b = bench({ 'a.txt': 'old', 'b.txt': 'old' })
      const runtime = await b.open({ tools: [putter], config: AUTO, durability })
      const events: LiveEvent[] = []
      const calls = puts(['a.txt', '1'], ['b.txt', '2'], ['a.txt', '3'], ['new/c.txt', '4'])
      const results = await runtime.run(calls, { onEvent: (event) => void events.push(event) })
      expect(outcomes(results)).toEqual(['ok', 'ok', 'ok', 'ok'])
      expect(shortly(events)).toEqual([
        ...['c1', 'c2', 'c3', 'c4'].map((id) => `${id} runs`),
        ...['c1', 'c2', 'c3', 'c4'].map((id) => `${id} ok`),
      ])
      expect(['a.txt', 'b.txt', 'new/c.txt'].map((name) => textOf(b, name))).toEqual(['3', '2', '4'])
      const [first, , third] = settledOf(runtime)
      expect(third?.changes[0]?.before).toEqual(first?.changes[0]?.after)
      expect(third?.changes[0]?.before?.digest).not.toBe(first?.changes[0]?.before?.digest)
    },
  )

  it('share the transactions of their commit and of their landing', async () => {
    const b = bench({ 'a.txt': '0' })
    const runtime = await b.open({ tools: [putter], config: AUTO, durability: 'full' })
    /** How many transactions of the database it takes to write the file so often. */
    const transactionsOf = async (words: readonly string[]): Promise<number> => {
      let count = 0
      await watchSteps(
        ({ name, target }) => {
          if (name === 'run' && target === 'COMMIT') count++
          return null
        },
        async () => {
          await runtime.run(puts(...words.map((word) => ['a.txt', word] as const)))
        },
      )
      return count
    }
    await transactionsOf(['first'])
    const words = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']
    expect(await transactionsOf(words)).toBeLessThan(words.length / 2)
  })

  it('are committed one by one if tools.edit.group is off, or if the first failure stops the batch', async () => {
    for (const config of [{ 'tools.edit.group': false }, { 'tools.on_execution_error': 'stop' }]) {
      const runtime = await bench().open({ tools: [putter], config: { ...AUTO, ...config } })
      const events: LiveEvent[] = []
      await runtime.run(puts(['a.txt', '1'], ['b.txt', '2']), { onEvent: (event) => void events.push(event) })
      expect(shortly(events)).toEqual(['c1 runs', 'c1 ok', 'c2 runs', 'c2 ok'])
    }
  })

  it('keep the mode of a file and one backup for each call', async () => {
    const b = bench({ 'a.txt': 'zero' })
    fs.chmodSync(join(b.root, 'a.txt'), 0o750)
    const runtime = await b.open({ config: AUTO, durability: 'full' })
    const write = (content: string) => ['write_file', { path: 'a.txt', content }] as const
    await runtime.run(batchOf(['read_file', { path: 'a.txt' }]))
    const results = await runtime.run(batchOf(write('one'), write('two')))
    const backups = results.map((row) => fs.readFileSync(String(row.ok && row.result['backup_path']), 'utf8'))
    expect(backups).toEqual(['zero', 'one'])
    expect(fs.statSync(join(b.root, 'a.txt')).mode & 0o777).toBe(0o750)
  })

  it('can each be undone, the newest first, and redone', async () => {
    const b = bench({ 'a.txt': '0' })
    const runtime = await b.open({ tools: [putter], config: AUTO, durability: 'full' })
    const [one, two] = await runtime.run(puts(['a.txt', '1'], ['a.txt', '2'], ['b.txt', '3']))
    const undo = async (call: string | undefined) => (await runtime.undo({ calls: [call ?? ''] })).ok
    expect(await undo(one?.execution.id)).toBe(false)
    expect(await undo(two?.execution.id)).toBe(true)
    expect([textOf(b, 'a.txt'), textOf(b, 'b.txt')]).toEqual(['1', '3'])
    expect((await runtime.redo()).ok).toBe(true)
    expect(textOf(b, 'a.txt')).toBe('2')
    expect((await runtime.undo({ turn: true })).ok).toBe(true)
    expect([textOf(b, 'a.txt'), fs.existsSync(join(b.root, 'b.txt'))]).toEqual(['0', false])
  })

  it('fail each for itself: what is refused in between changes nothing, and the next is staged on what is left', async () => {
    const b = bench({ 'a.json': '{"a": 1}\n' })
    const runtime = await b.open({ config: AUTO, durability: 'full' })
    await runtime.run(batchOf(['read_file', { path: 'a.json' }]))
    const edit = (old: string, next: string) => ['edit_file', { path: 'a.json', old, new: next }] as const
    const events: LiveEvent[] = []
    const results = await runtime.run(
      batchOf(edit('1', '2'), edit('}', ''), edit('nowhere', ''), edit('2', '3'), ['edit_file', { path: 7 }]),
      { onEvent: (event) => void events.push(event) },
    )
    expect(outcomes(results)).toEqual(['ok', 'bad_args', 'execution_failed', 'ok', 'bad_args'])
    expect(textOf(b, 'a.json')).toBe('{"a": 3}\n')
    expect(shortly(events).indexOf('c1 ok')).toBeGreaterThan(shortly(events).indexOf('c4 runs'))
  })

  it('end with a call that reads, which finds them in place', async () => {
    const b = bench({ 'a.txt': 'old' })
    const looks = reader('looks', (_args, { files }) => ({
      said: new TextDecoder().decode(files.open('a.txt').readAll(100)),
    }))
    const runtime = await b.open({ tools: [putter, looks], config: AUTO })
    const results = await runtime.run(
      batchOf(['puts', { word: '1' }], ['puts', { word: '2' }], ['looks'], ['puts', { word: '3' }]),
    )
    expect(results.map((row) => row.ok && row.result['said'])).toEqual(['1', '2', '2', '3'])
  })

  it('end with an edit that is not said to look at staged files only', async () => {
    const b = bench({ 'a.txt': 'old' })
    const seen: string[] = []
    const other = editor('other', (_args, { edits }) => {
      seen.push(textOf(b, 'a.txt'))
      edits.write('b.txt', bytes('other'))
      return { said: '' }
    })
    const runtime = await b.open({ tools: [putter, other], config: AUTO })
    await runtime.run(batchOf(['puts', { word: '1' }], ['other']))
    expect(seen).toEqual(['1'])
  })

  it('a call that looks at the disk after all runs once more when the earlier ones are in place', async () => {
    const b = bench({ 'a.txt': 'old' })
    const seen: string[] = []
    const peeks = editor(
      'peeks',
      (_args, { files, edits }) => {
        seen.push(new TextDecoder().decode(files.peek('a.txt', 100) ?? bytes('')))
        edits.write('b.txt', bytes(seen.at(-1) ?? ''))
        return { said: '' }
      },
      groupable,
    )
    const runtime = await b.open({ tools: [putter, peeks], config: AUTO })
    expect(outcomes(await runtime.run(batchOf(['puts', { word: '1' }], ['peeks'])))).toEqual(['ok', 'ok'])
    expect([seen, textOf(b, 'b.txt')]).toEqual([['old', '1'], '1'])
  })

  it('a name that comes or goes decides what the next call finds below and above it', async () => {
    const b = bench({ 'gone.txt': 'x' })
    const removes = editor(
      'removes',
      (_args, { edits }) => {
        edits.remove('gone.txt')
        return { said: '' }
      },
      groupable,
    )
    const runtime = await b.open({ tools: [putter, removes], config: AUTO })
    const results = await runtime.run(
      batchOf(
        ['puts', { path: 'one', word: '1' }],
        ['puts', { path: 'one/below', word: '2' }],
        ['puts', { path: 'two/below', word: '3' }],
        ['puts', { path: 'two', word: '4' }],
        ['removes'],
        ['puts', { path: 'gone.txt/below', word: '5' }],
        ['puts', { path: 'gone.txt/more', word: '6' }],
      ),
    )
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true, false, true, true, true])
    expect(textOf(b, 'gone.txt/more')).toBe('6')
    // Nothing was committed that could not be put in place.
    expect(outcomes(results)).not.toContain('in_doubt')
  })
})

describe('a group of edits and the world around it', () => {
  it('a file that somebody changed before the commit takes out its call and those staged on it, and no other', async () => {
    const b = bench({ 'a.txt': 'old', 'b.txt': 'old' })
    const meddles = acting('meddles', () => b.put('a.txt', 'foreign'))
    const runtime = await b.open({ tools: [putter, meddles], config: AUTO, durability: 'full' })
    const put = (path: string, word: string) => ['puts', { path, word }] as const
    const results = await runtime.run(
      batchOf(put('a.txt', '1'), put('b.txt', '2'), put('a.txt', '3'), ['meddles'], put('b.txt', '4')),
    )
    expect(outcomes(results)).toEqual(['stale_file', 'ok', 'stale_file', 'ok', 'ok'])
    expect(['a.txt', 'b.txt', 'meddles.txt'].map((name) => textOf(b, name))).toEqual([
      'foreign',
      '4',
      'meddles',
    ])
    expect((await runtime.verify()).ok).toBe(true)
    expect((await runtime.undo({ turn: true })).ok).toBe(true)
    expect(['a.txt', 'b.txt'].map((name) => textOf(b, name))).toEqual(['foreign', 'old'])
  })

  it('another process that edits a file of the group in between goes first', async () => {
    const b = bench({ 'a.txt': 'old', 'b.txt': 'old' })
    const other = await b.open({ tools: [putter], config: AUTO, durability: 'full' })
    const meddles = acting('meddles', () => other.run(puts(['b.txt', 'theirs']), { session: 'other' }))
    const runtime = await b.open({ tools: [putter, meddles], config: AUTO, durability: 'full' })
    const results = await runtime.run(
      batchOf(['puts', { path: 'a.txt', word: '1' }], ['puts', { path: 'b.txt', word: '2' }], ['meddles']),
    )
    expect(outcomes(results)).toEqual(['ok', 'stale_file', 'ok'])
    expect(['a.txt', 'b.txt'].map((name) => textOf(b, name))).toEqual(['1', 'theirs'])
  })

  it('a cancellation commits what was staged before it', async () => {
    const b = bench({ 'a.txt': 'old' })
    const stop = new AbortController()
    const cancels = acting('cancels', () => stop.abort())
    const runtime = await b.open({ tools: [putter, cancels], config: AUTO, durability: 'full' })
    const results = await runtime.run(
      batchOf(
        ['puts', { word: '1' }],
        ['puts', { path: 'b.txt', word: '2' }],
        ['cancels'],
        ['puts', { word: '3' }],
      ),
      { signal: stop.signal },
    )
    expect(outcomes(results)).toEqual(['ok', 'ok', 'ok', 'cancelled'])
    expect([textOf(b, 'a.txt'), textOf(b, 'b.txt')]).toEqual(['1', '2'])
  })

  it('a person who is asked in between finds the earlier edits in place', async () => {
    const b = bench({ 'a.txt': 'old', 'b.txt': 'old' })
    const found: string[] = []
    const approve = asked((requests) => {
      found.push(`${textOf(b, 'a.txt')} ${textOf(b, 'b.txt')}`)
      // What the second call would change is then no longer what was agreed to.
      if (found.length === 1) b.put('b.txt', 'foreign')
      return requests.map(() => 'once' as const)
    })
    const config = { 'tools.approval.mode': 'prompt', 'tools.approval.prompt_side_effects': true }
    const runtime = await b.open({ tools: [putter], config, approve, durability: 'full' })
    const results = await runtime.run(puts(['a.txt', '1'], ['b.txt', '2'], ['b.txt', '3']))
    expect(outcomes(results)).toEqual(['ok', 'ok', 'ok'])
    expect(found).toEqual(['old old', '1 foreign'])
    expect(textOf(b, 'b.txt')).toBe('3')
  })

  it('a name that refuses its new content takes back the calls on it, and no other', async () => {
    const b = bench({ 'a.txt': 'old', 'b.txt': 'old', 'c.txt': 'old' })
    const runtime = await b.open({ tools: [putter], config: AUTO, durability: 'full' })
    const denied = Object.assign(new Error('no'), { code: 'EPERM', errno: -1, syscall: 'rename' })
    let outcome: readonly string[] = []
    await watchSteps(
      ({ name, target }) => (name === 'renameSync' && target.includes('b.txt') ? { error: denied } : null),
      async () => {
        outcome = outcomes(
          await runtime.run(
            puts(['a.txt', '1'], ['b.txt', '2'], ['c.txt', '3'], ['b.txt', '4'], ['a.txt', '5']),
          ),
        )
      },
    )
    expect(outcome).toEqual(['ok', 'execution_failed', 'ok', 'execution_failed', 'ok'])
    expect(['a.txt', 'b.txt', 'c.txt'].map((name) => textOf(b, name))).toEqual(['5', 'old', '3'])
    expect((await runtime.verify()).ok).toBe(true)
    expect((await runtime.undo({ turn: true })).ok).toBe(true)
    expect(['a.txt', 'b.txt', 'c.txt'].map((name) => textOf(b, name))).toEqual(['old', 'old', 'old'])
  })

  it('a backup that cannot be written refuses its call and those staged on it', async () => {
    const b = bench({ 'a.txt': 'old', 'b.txt': 'old' })
    const runtime = await b.open({ tools: [putter], config: AUTO, durability: 'full' })
    const full = Object.assign(new Error('full'), { code: 'EDQUOT', errno: -122, syscall: 'write' })
    let rows: Awaited<ReturnType<typeof runtime.run>> = []
    let backups = 0
    await watchSteps(
      ({ name, target }) =>
        name === 'writeFileSync' && target.includes('backups') && ++backups === 1 ? { error: full } : null,
      async () => {
        rows = await runtime.run(puts(['a.txt', '1'], ['b.txt', '2'], ['a.txt', '3']))
      },
    )
    expect(rows.map(({ ok }) => ok)).toEqual([false, true, false])
    expect(errorOf(rows[2]).code).toBe('stale_file')
    expect([textOf(b, 'a.txt'), textOf(b, 'b.txt')]).toEqual(['old', '2'])
  })
})
