import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PowersOf } from '../../../src/core/tool.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { withoutSyncs } from '../../harness/faults/unsynced.ts'
import { batchOf, editor, outcomes, reader } from '../sample-tools.ts'
import { AUTO, bytes } from '../execute/staging-tools.ts'

const namesBelow = (folder: string): readonly string[] =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
    : []
const backupsOf = ({ stateDir }: Bench): readonly string[] => namesBelow(join(stateDir, 'backups'))

const changes = editor('changes', ({ word }, { edits }) => {
  edits.write('a.txt', bytes('changed'))
  return { said: word ?? '' }
})

describe('the moment of the commit', () => {
  it('a stored value that another call replaced meanwhile is not overwritten, wherever the call stands in its group', async () => {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const states = { capabilities: ['state.write'] }
    const sets = reader(
      'sets',
      ({ word = '' }, { store }) => {
        store.write('other', word)
        return { said: word }
      },
      states,
    )
    const adds = reader(
      'adds',
      async ({ word = '' }, { store }) => {
        const before = String(store.read('list') ?? '')
        if (word === 'slow') {
          reached.resolve()
          await released.promise
        }
        store.write('list', before + word)
        return { said: before + word }
      },
      states,
    )
    const runtime = await bench().open({ tools: [sets, adds] })
    const slow = runtime.run(batchOf(['sets', { word: 'x' }], ['adds', { word: 'slow' }]))
    await reached.promise
    expect(outcomes(await runtime.run(batchOf(['adds', { word: 'quick' }])))).toEqual(['ok'])
    released.resolve()
    expect(outcomes(await slow)).toContain('execution_failed')
    const [row] = await runtime.run(batchOf(['adds', { word: '!' }]))
    expect(row?.ok === true && row.result).toEqual({ said: 'quick!' })
  })

  it('a call whose result cannot be shown changes nothing and leaves no backup', async () => {
    const b = bench({ 'a.txt': 'old' })
    const runtime = await b.open({ tools: [changes], config: { ...AUTO, 'tools.output.max_bytes': 300 } })
    const [result] = await runtime.run(batchOf(['changes', { word: 'x'.repeat(5000) }]))
    expect(result?.ok).toBe(false)
    expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('old')
    expect(backupsOf(b)).toEqual([])
  })

  it('a call that cannot be recorded leaves no backup', async () => {
    const b = bench({ 'a.txt': 'old' })
    const runtime = await b.open({ tools: [changes], config: AUTO, durability: 'full' })
    const full = Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
    let isBackedUp = false
    await watchSteps(
      ({ name, target }) => {
        isBackedUp ||= name === 'writeFileSync' && target.includes('backups')
        return isBackedUp && name === 'run' ? { error: full } : null
      },
      async () => {
        await expect(runtime.run(batchOf(['changes']))).rejects.toThrow('full')
      },
    )
    expect(isBackedUp).toBe(true)
    expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('old')
    expect(backupsOf(b)).toEqual([])
  })

  it('a call that is recorded, and may not be on the disk, keeps its backup for whoever finishes it', async () => {
    const b = bench({ 'a.txt': 'old' })
    const options = { tools: [changes], config: AUTO, durability: 'full' } as const
    const runtime = await b.open(options)
    await runtime.run([])
    await withoutSyncs(join(b.stateDir, 'journal.db'), async () => {
      await expect(runtime.run(batchOf(['changes']))).rejects.toThrow('the disk did not confirm')
    })
    await runtime.close().catch(() => undefined)
    const again = await b.open(options)
    await again.run([])
    expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('changed')
    expect(backupsOf(b)).toHaveLength(1)
  })

  it('a backup that cannot be kept fails the call, and those that were kept before go', async () => {
    const b = bench({ 'a.txt': 'old a', 'b.txt': 'old b' })
    const both = editor('both', (_args, { edits }) => {
      edits.write('a.txt', bytes('new a'))
      edits.write('b.txt', bytes('new b'))
      return { said: '' }
    })
    const runtime = await b.open({ tools: [both], config: AUTO })
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28 })
    let seen = 0
    await watchSteps(
      ({ name, target }) =>
        name === 'writeFileSync' && target.includes('backups') && ++seen > 1 ? { error: full } : null,
      async () => {
        const [result] = await runtime.run(batchOf(['both']))
        expect(errorOf(result)).toMatchObject({ code: 'resource_exhausted', state: 'ROLLED_BACK' })
      },
    )
    expect(seen).toBe(2)
    expect(backupsOf(b)).toEqual([])
    expect(fs.readFileSync(join(b.root, 'b.txt'), 'utf8')).toBe('old b')
  })

  it.each(['memory', 'full'] as const)(
    'of two sessions of one process that change a file at once, one wins and the other is stale (%s)',
    async (durability) => {
      const b = bench({ 'a.txt': 'old' })
      const slow = editor('slow', async ({ word }, { edits }) => {
        const before = Buffer.from(edits.read('a.txt')).toString()
        await new Promise((resolve) => setImmediate(resolve))
        edits.write('a.txt', bytes(`${before} ${word}`))
        return { said: '' }
      })
      const runtime = await b.open({ tools: [slow], config: AUTO, durability })
      const sessions = ['one', 'two', 'three']
      for (let round = 0; round < 10; round++) {
        const before = fs.readFileSync(join(b.root, 'a.txt'), 'utf8')
        const results = await Promise.all(
          sessions.map((session) =>
            runtime.run(batchOf(['slow', { word: `${session}${round}` }]), { session }),
          ),
        )
        const ends = results.flatMap(outcomes)
        expect(ends.toSorted()).toEqual(['ok', 'stale_file', 'stale_file'])
        const winner = sessions[ends.indexOf('ok')] ?? ''
        expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe(`${before} ${winner}${round}`)
      }
      expect(await runtime.recover()).toEqual([])
      expect(backupsOf(b)).toHaveLength(10)
    },
  )

  it.each(['memory', 'full'] as const)(
    'of batches of one session that change a file at once, one wins and the others are stale (%s)',
    async (durability) => {
      const b = bench({ 'a.txt': 'old' })
      const { promise: gate, resolve: open } = Promise.withResolvers<void>()
      let waiting = 0
      const slow = editor('slow', async ({ word }, { edits }) => {
        const before = Buffer.from(edits.read('a.txt')).toString()
        if (++waiting === 3) open()
        await gate
        edits.write('a.txt', bytes(`${before} ${word}`))
        return { said: word ?? '' }
      })
      const runtime = await b.open({ tools: [slow], config: AUTO, durability })
      const results = await Promise.all(
        ['one', 'two', 'three'].map((word) => runtime.run(batchOf(['slow', { word }]))),
      )
      expect(results.flatMap(outcomes)).toEqual(['ok', 'stale_file', 'stale_file'])
      expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('old one')
      expect(await runtime.recover()).toEqual([])
    },
  )

  it.each(['memory', 'full'] as const)(
    'of batches that replace what a session keeps at once, one wins and none is lost in silence (%s)',
    async (durability) => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>()
      let waiting = 0
      const counting = async (_args: unknown, { store }: PowersOf['edit']): Promise<unknown> => {
        const before = Number(store.read('count') ?? 0)
        if (++waiting === 3) open()
        await gate
        store.write('count', before + 1)
        return { said: String(before + 1) }
      }
      const counts = editor('counts', counting, { capabilities: ['state.read', 'state.write'] })
      const runtime = await bench().open({ tools: [counts], config: AUTO, durability })
      const results = await Promise.all(
        ['a', 'b', 'c'].map((word) => runtime.run(batchOf(['counts', { word }]))),
      )
      expect(results.flatMap(outcomes)).toEqual(['ok', 'execution_failed', 'execution_failed'])
      expect(errorOf(results[1]?.[0]).message).toContain('Another call changed the count')
      const [next] = await runtime.run(batchOf(['counts', { word: 'd' }]))
      expect(next).toMatchObject({ ok: true, result: { said: '2' } })
    },
  )

  it('an undo that comes between the commit of a call and its landing leaves neither in doubt', async () => {
    const b = bench({ 'a.txt': 'old' })
    let begun = Promise.withResolvers<void>()
    let gate = Promise.withResolvers<void>()
    const waits = editor('waits', async ({ word }, { edits }) => {
      edits.write('a.txt', bytes(word ?? ''))
      if (word === 'second') {
        begun.resolve()
        await gate.promise
      }
      return { said: '' }
    })
    const runtime = await b.open({ tools: [waits], config: AUTO, durability: 'full' })
    for (let turns = 0; turns < 24; turns++) {
      begun = Promise.withResolvers<void>()
      gate = Promise.withResolvers<void>()
      fs.writeFileSync(join(b.root, 'a.txt'), `old ${turns}`)
      await runtime.run(batchOf(['waits', { word: `first ${turns}` }]))
      const running = runtime.run(batchOf(['waits', { word: 'second' }]))
      await begun.promise
      gate.resolve()
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      const [undone, [result]] = await Promise.all([runtime.undo(), running])
      expect(await runtime.recover()).toEqual([])
      const left = fs.readFileSync(join(b.root, 'a.txt'), 'utf8')
      expect([undone.ok, result?.ok, left]).toEqual(
        result?.ok !== true
          ? [true, false, `old ${turns}`]
          : [undone.ok, true, undone.ok ? `first ${turns}` : 'second'],
      )
    }
  })
})
