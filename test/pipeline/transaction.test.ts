import * as fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { failure } from '../../src/core/error.ts'
import { TOP } from '../../scripts/run-tool.ts'
import type { Edits } from '../../src/core/powers.ts'
import type { PowersOf, Tool } from '../../src/core/tool.ts'
import type { SettledEntry } from '../../src/journal/entries/entry.ts'
import { bench, outputOf } from '../bench-folder.ts'
import { watchSteps } from '../harness/faults/world/steps.ts'
import { readTree } from '../harness/faults/world/tree.ts'
import { agreeing, batchOf, editor, outcomes, reader, writer } from './sample-tools.ts'
import { AUTO, bytes, FAILURES, FILES, settledOf, stagingThen } from './execute/staging-tools.ts'

describe('a call and its transaction', () => {
  it('R-STATE-1: every execution has a transaction of its own, which knows nothing of the one before', async () => {
    const handed: Edits[] = []
    const seen: string[] = []
    const tool = editor('keeps', ({ word }, { edits }) => {
      handed.push(edits)
      seen.push(edits.stat('out.txt').kind)
      edits.write('out.txt', bytes('staged'))
      if (word === 'fail') throw failure('execution_failed', 'cannot')
      return { said: '' }
    })
    const runtime = await bench().open({ tools: [tool], config: AUTO })
    const results = await runtime.run(
      batchOf(['keeps', { word: 'fail' }], ['keeps', { word: 'fail' }], ['keeps']),
    )
    expect(outcomes(results)).toEqual(['execution_failed', 'execution_failed', 'ok'])
    expect(new Set(handed).size).toBe(3)
    expect(seen).toEqual(['missing', 'missing', 'missing'])
  })

  it('R-STATE-2: while a tool runs, all its changes are in the transaction and none is on disk', async () => {
    const b = bench(FILES)
    const before = readTree(b.root)
    const inside: unknown[] = []
    const tool = editor('looks', (_args, { edits }) => {
      edits.write('a.txt', bytes('changed'))
      edits.write('new/n.txt', bytes('new'))
      edits.remove('gone.txt')
      inside.push(readTree(b.root), Buffer.from(edits.read('a.txt')).toString(), edits.stat('gone.txt').kind)
      return { said: '' }
    })
    const runtime = await b.open({ tools: [tool], config: AUTO })
    expect(outcomes(await runtime.run(batchOf(['looks'])))).toEqual(['ok'])
    expect(inside).toEqual([before, 'changed', 'missing'])
  })

  it('R-STATE-3: a success commits every change', async () => {
    const b = bench(FILES)
    const runtime = await b.open({ tools: [stagingThen(() => ({ said: 'done' }))], approve: agreeing() })
    expect(outcomes(await runtime.run(batchOf(['stages'])))).toEqual(['ok'])
    expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('changed')
    expect(fs.readFileSync(join(b.root, 'new/folder/n.txt'), 'utf8')).toBe('new')
    expect(fs.existsSync(join(b.root, 'gone.txt'))).toBe(false)
  })

  it.each(FAILURES)(
    'R-STATE-4: a tool that %s is rolled back, and nothing of it is in the log as a change',
    async (_name, tool, code) => {
      const b = bench(FILES)
      const before = readTree(b.root)
      const runtime = await b.open({ tools: [tool], approve: agreeing() })
      expect(outcomes(await runtime.run(batchOf(['stages'])))).toEqual([code])
      expect(readTree(b.root)).toEqual(before)
      expect(settledOf(runtime).map(({ changes }) => changes)).toEqual([[]])
    },
  )

  it('R-STATE-5: a tool finds no way to change anything outside its transaction', async () => {
    const b = bench(FILES)
    const before = readTree(b.root)
    const kept: Edits[] = []
    const powers: string[][] = []
    const tools = [
      editor('keeps', (_args, { edits }) => {
        kept.push(edits)
        return { said: '' }
      }),
      reader('reads', (_args, handed) => {
        powers.push(Object.keys(handed))
        return { said: '' }
      }),
    ]
    const runtime = await b.open({ tools, approve: agreeing() })
    await runtime.run(batchOf(['keeps'], ['reads']))
    for (const edits of kept) {
      expect(() => edits.write('late.txt', bytes('late'))).toThrow('The call has ended')
      expect(() => edits.remove('gone.txt')).toThrow('The call has ended')
    }
    await runtime.run(batchOf(['reads']))
    expect(powers.flat()).not.toContain('edits')
    expect(readTree(b.root)).toEqual(before)
  })

  it('RULE 4: the transaction is active before the first line of the tool runs', async () => {
    const first: string[] = []
    const tool = editor('first', (_args, { edits }) => {
      first.push(edits.stat('a.txt').kind)
      return { said: '' }
    })
    const runtime = await bench(FILES).open({ tools: [tool], config: AUTO })
    const moments: string[] = []
    await runtime.run(batchOf(['first']), {
      onEvent: (event) => event.event === 'state' && moments.push(`${event.state} ${first.length}`),
    })
    expect(first).toEqual(['file'])
    expect(moments).toContain('EXECUTING 0')
  })

  it('R-LC-EXECUTING: the transaction is active all the time a call is executing, also over waits', async () => {
    const tool = editor('waits', async (_args, { edits }) => {
      edits.write('one.txt', bytes('1'))
      await new Promise((resolve) => setTimeout(resolve, 20))
      edits.write('two.txt', bytes('2'))
      return { said: Buffer.from(edits.read('one.txt')).toString() }
    })
    const b = bench()
    const runtime = await b.open({ tools: [tool], approve: agreeing() })
    const [result] = await runtime.run(batchOf(['waits']))
    expect(outputOf(result)).toEqual({ said: '1' })
    expect(fs.readdirSync(b.root).toSorted()).toEqual(['one.txt', 'two.txt'])
  })

  it('RULE 8: every change is tracked: file, content and mode before and after, and no other file', async () => {
    const b = bench({ ...FILES, 'untouched.txt': 'x' })
    fs.chmodSync(join(b.root, 'a.txt'), 0o750)
    const runtime = await b.open({ tools: [stagingThen(() => ({ said: '' }))], approve: agreeing() })
    await runtime.run(batchOf(['stages']))
    const changes = settledOf(runtime)[0]?.changes ?? []
    const sides = changes.map(({ path, before, after, folders }) => [
      path,
      before?.mode ?? null,
      after?.mode ?? null,
      folders,
    ])
    const newMode = 0o666 & ~process.umask()
    expect(sides).toEqual([
      ['a.txt', 0o750, 0o750, []],
      ['new/folder/n.txt', null, newMode, ['new', 'new/folder']],
      ['gone.txt', 0o644, null, []],
    ])
    for (const { before, after } of changes) expect(before?.digest).not.toBe(after?.digest)
  })

  it.each([['ends well', stagingThen(() => ({ said: '' })), 'ok'] as const, ...FAILURES])(
    'RULE 10: when a tool %s, its transaction is over: what comes later reaches nothing',
    async (_name, tool, code) => {
      const kept: Edits[] = []
      const keeping: Tool = {
        ...tool,
        run: (args, powers) => {
          kept.push((powers as PowersOf['edit']).edits)
          return tool.run(args, powers)
        },
      }
      const b = bench(FILES)
      const runtime = await b.open({ tools: [keeping], approve: agreeing() })
      expect(outcomes(await runtime.run(batchOf(['stages'])))).toEqual([code])
      const after = readTree(b.root)
      for (const edits of kept)
        expect(() => edits.write('late.txt', bytes('late'))).toThrow('The call has ended')
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(readTree(b.root)).toEqual(after)
    },
  )
})

/** What another program sees in the database at this moment. */
function peek(stateDir: string): readonly string[] {
  const database = new DatabaseSync(join(stateDir, 'journal.db'), { readOnly: true })
  try {
    const rows = database
      .prepare("SELECT kind, body FROM log WHERE kind IN ('batch', 'settled') ORDER BY id")
      .all()
    return rows.map(({ kind, body }) =>
      kind === 'batch' ? 'batch' : `${String((JSON.parse(String(body)) as SettledEntry).name)}`,
    )
  } finally {
    database.close()
  }
}

describe('transactions and the journal', () => {
  it('FR-RES-04b: each result is on disk before the next call starts', async () => {
    const b = bench(FILES)
    const seen: (readonly string[])[] = []
    const tool = editor('peeks', (_args, { isDryRun }) => {
      if (!isDryRun) seen.push(peek(b.stateDir))
      return { said: '' }
    })
    const runtime = await b.open({ tools: [tool, writer], durability: 'full', approve: agreeing() })
    await runtime.run(batchOf(['peeks'], ['writer', { word: 'x' }], ['peeks']))
    expect(seen).toEqual([['batch'], ['batch', 'peeks', 'writer']])
  })

  it('FR-RES-04b: the disk has been waited for between two calls, so that a power cut takes no result', async () => {
    const happened: string[] = []
    const tool = editor('notes', (_args, { isDryRun }) => {
      if (!isDryRun) happened.push('begins')
      return { said: '' }
    })
    const runtime = await bench(FILES).open({ tools: [tool], durability: 'full', approve: agreeing() })
    await watchSteps(
      ({ name }) => {
        if (name === 'fdatasyncSync') happened.push('synced')
        return null
      },
      async () => {
        const calls = batchOf(...['1', '2', '3'].map((word) => ['notes', { word }] as const))
        expect(outcomes(await runtime.run(calls))).toEqual(['ok', 'ok', 'ok'])
      },
    )
    expect(happened.join(' ')).toMatch(/^(synced )*begins( synced)+ begins( synced)+ begins( synced)+$/)
  })

  it('R-CHK-INT-1: files, result and event of a call become true together, at the end of its transaction', async () => {
    const b = bench(FILES)
    const during: unknown[] = []
    const tool = stagingThen(() => {
      during.push(peek(b.stateDir), fs.readFileSync(join(b.root, 'a.txt'), 'utf8'))
      return { said: '' }
    })
    const runtime = await b.open({ tools: [tool], durability: 'full', approve: agreeing() })
    await runtime.run(batchOf(['stages']))
    expect(during).toEqual([['batch'], 'old'])
    expect(peek(b.stateDir)).toEqual(['batch', 'stages'])
    expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('changed')
  })

  it('R-CHK-TOOL-8: the tools have no way to the disk but the transaction they are handed', () => {
    const folder = join(TOP, 'src', 'tools')
    const sources = fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
    expect(sources.length).toBeGreaterThan(10)
    for (const name of sources) {
      const imports =
        fs.readFileSync(join(folder, name), 'utf8').match(/from '[^']+'|import\('[^']+'\)/g) ?? []
      expect(
        imports.filter((from) => /'node:(?!buffer)|host\/|workspace\//.test(from)),
        name,
      ).toEqual([])
    }
  })
})
