import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { object } from '../../../src/schema/schema.ts'
import { bench } from '../../bench-folder.ts'
import { bookingTool } from './booking-tool.ts'
import type { Booked } from './booking-tool.ts'

const CHILD = new URL('booking-child.ts', import.meta.url).pathname
const agreed = { approve: (requests: readonly unknown[]) => requests.map(() => 'once' as const) }
const book = (seat: string) => ({ id: seat, name: 'book', args: { seat } })
const write = { id: 'w', name: 'write_file', args: { path: 'a.txt', content: 'after\n' } }

/** A runtime whose tool keeps a list of what it cancelled. */
async function booking(cancel?: (booked: Booked) => void | Promise<void>, seconds?: number) {
  const b = bench()
  const cancelled: string[] = []
  const tool = bookingTool(async (booked) => {
    await cancel?.(booked)
    cancelled.push(`${booked.seat} ${booked.booking}`)
  }, seconds)
  const runtime = await b.open({ ...agreed, tools: [tool] })
  return { b, runtime, cancelled, hasFile: () => existsSync(join(b.root, 'a.txt')) }
}

describe('undo of what a tool did outside the files', () => {
  it('has the tool take back its newest call, once, and says so first', async () => {
    const { runtime, cancelled } = await booking()
    await runtime.run([book('4A'), book('4B')], { session: 's' })
    const outside = [{ tool: 'book', summary: 'book 4B' }]
    expect(await runtime.undo({ session: 's', dryRun: true })).toMatchObject({ ok: true, files: [], outside })
    expect(cancelled).toEqual([])
    expect(await runtime.undo({ session: 's' })).toMatchObject({ ok: true, outside, message: null })
    expect(await runtime.undo()).toMatchObject({ ok: true, outside: [{ summary: 'book 4A' }] })
    expect(cancelled).toEqual(['4B 2', '4A 1'])
    expect(await runtime.undo({ session: 's' })).toMatchObject({ ok: false, calls: [] })
    expect(cancelled).toHaveLength(2)
    expect((await runtime.verify()).ok).toBe(true)
  })

  it('takes back a turn with files as a whole, of which a redo brings the files', async () => {
    const { runtime, cancelled, hasFile } = await booking()
    await runtime.run([book('4A'), write, book('4B')], { session: 's' })
    const report = await runtime.undo({ session: 's', turn: true })
    expect(report).toMatchObject({ ok: true, files: [{ path: 'a.txt', action: 'removed' }] })
    expect(report.calls).toHaveLength(3)
    expect([cancelled, hasFile()]).toEqual([['4B 2', '4A 1'], false])
    expect(await runtime.redo({ session: 's' })).toMatchObject({ ok: true, files: [{ path: 'a.txt' }] })
    expect([cancelled.length, hasFile()]).toEqual([2, true])
    expect(await runtime.undo({ session: 's', turn: true })).toMatchObject({ ok: true, files: [{}] })
    expect(cancelled).toHaveLength(2)
    await runtime.run([book('5C')], { session: 'later' })
    await runtime.run([write], { session: 'later' })
    await runtime.undo({ session: 'later', last: 1 })
    await runtime.undo({ session: 'later', last: 1 })
    expect([cancelled.at(-1), hasFile()]).toEqual(['5C 3', false])
    expect(await runtime.redo({ session: 'later' })).toMatchObject({ ok: true, files: [{ path: 'a.txt' }] })
  })

  it('changes no file if the tool cannot, and can be tried again', async () => {
    let isClosed = true
    const { runtime, cancelled, hasFile } = await booking(({ seat }) => {
      if (isClosed && seat === '4A') throw new Error('the office is closed')
    })
    await runtime.run([write, book('4A'), book('4B')], { session: 's' })
    const refused = await runtime.undo({ session: 's', turn: true })
    expect(refused).toMatchObject({ ok: false, files: [], outside: [{ summary: 'book 4B' }] })
    expect(refused.message).toMatch(
      /book could not take back .*the office is closed\. No file was changed\. Taken back already: book 4B/,
    )
    expect([cancelled, hasFile()]).toEqual([['4B 2'], true])
    isClosed = false
    expect(await runtime.undo({ session: 's', turn: true })).toMatchObject({ ok: true })
    expect([cancelled, hasFile()]).toEqual([['4B 2', '4A 1'], false])
  })

  it('asks no tool if a file has changed since', async () => {
    const { b, runtime, cancelled } = await booking()
    await runtime.run([write, book('4A')], { session: 's' })
    b.put('a.txt', 'mine\n')
    const report = await runtime.undo({ session: 's', turn: true })
    expect(report).toMatchObject({ ok: false, drifted: ['a.txt'] })
    expect(cancelled).toEqual([])
  })

  it('asks no tool if a merge finds nothing left of the edit of its turn', async () => {
    const { b, runtime, cancelled } = await booking()
    const rest = 'a\nb\nc\nd\n'
    b.put('a.txt', `one\n${rest}`)
    const read = { id: 'r', name: 'read_file', args: { path: 'a.txt' } }
    const edit = { ...write, args: { path: 'a.txt', content: `ONE\n${rest}` } }
    await runtime.run([read, edit, book('4A')], { session: 's' })
    b.put('a.txt', `one\n${rest}mine\n`)
    const report = await runtime.undo({ session: 's', turn: true, merge: true })
    expect(report).toMatchObject({
      ok: false,
      message: expect.stringContaining('nothing of what these calls changed is left'),
    })
    expect([report.outside, cancelled]).toEqual([undefined, []])
  })

  it('begins once if two undos come at the same time', async () => {
    const gate = Promise.withResolvers<void>()
    const { runtime, cancelled } = await booking(() => gate.promise)
    await runtime.run([book('4A')], { session: 's' })
    const both = Promise.all([runtime.undo({ session: 's' }), runtime.undo({ session: 's' })])
    gate.resolve()
    expect((await both).map(({ ok }) => ok).toSorted()).toEqual([false, true])
    expect(cancelled).toEqual(['4A 1'])
  })

  it('leaves it to a person how a taking back ended that took too long', async () => {
    const { runtime, cancelled } = await booking(() => new Promise(() => undefined), 0.05)
    await runtime.run([book('4A')], { session: 's' })
    expect((await runtime.undo({ session: 's' })).message).toContain('how that ends is not known')
    expect((await runtime.undo({ session: 's' })).message).toContain('not begun again')
    expect(cancelled).toEqual([])
  })

  it('never begins again what was begun when the process died', async () => {
    const { b, cancelled } = await booking()
    const child = spawnSync(process.execPath, [CHILD, b.root, b.stateDir], { encoding: 'utf8' })
    expect([child.signal, child.stderr]).toEqual(['SIGKILL', ''])
    const tool = bookingTool(({ seat }) => void cancelled.push(seat))
    const runtime = await b.open({ ...agreed, durability: 'full', tools: [tool] })
    const report = await runtime.undo({ session: 's' })
    expect(report).toMatchObject({ ok: false, files: [] })
    expect(report.message).toContain('how that ended is not on record')
    expect(cancelled).toEqual([])
  })

  it('does not act on words that were erased, or that another program wrote', async () => {
    const b = bench()
    const cancelled: string[] = []
    const options = {
      ...agreed,
      durability: 'full',
      tools: [bookingTool(({ seat }) => void cancelled.push(seat))],
    } as const
    const first = await b.open(options)
    await first.run([book('4A')], { session: 'erased' })
    await first.run([book('4B')], { session: 'forged' })
    await first.forget({ session: 'erased' })
    expect((await first.undo({ session: 'erased' })).message).toContain('was erased')
    await first.close()
    const database = new DatabaseSync(join(b.stateDir, 'journal.db'))
    database.exec("UPDATE log SET body = json_set(body, '$.durationMs', 7) WHERE kind = 'settled'")
    database.close()
    const second = await b.open(options)
    expect((await second.undo({ session: 'forged' })).message).toContain('Run tongs audit verify')
    expect(cancelled).toEqual([])
  })

  it('means the newest edit where no such tool is, and does not name the call then', async () => {
    const { b, runtime, cancelled } = await booking()
    const elsewhere = await b.open({ ...agreed, durability: 'full' })
    await elsewhere.run([write], { session: 's' })
    expect(await elsewhere.undo({ session: 's' })).toMatchObject({ ok: true, files: [{ path: 'a.txt' }] })
    const [row] = await runtime.run([book('4A')], { session: 's' })
    const plain = await b.open(agreed)
    const report = await plain.undo({ calls: [row?.execution.id ?? ''] })
    expect(report).toMatchObject({ ok: false })
    expect(cancelled).toEqual([])
  })

  it('is for tools that act outside: what others do to files is undone without them', () => {
    const wrong = () =>
      defineTool({
        name: 'wrong',
        version: '1.0.0',
        description: 'Wrong',
        effect: 'edit',
        input: object({}, 'Nothing'),
        output: object({}, 'Nothing'),
        run: () => ({}),
        compensate: () => undefined,
      })
    expect(wrong).toThrow('its effect must be external')
  })
})
