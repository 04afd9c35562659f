import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../../src/pipeline/engine.ts'
import { bench } from '../../bench-folder.ts'
import { AUTO, bytes } from '../../pipeline/execute/staging-tools.ts'
import { editor } from '../../pipeline/sample-tools.ts'

const COUNT = 600
const NAMES = Array.from({ length: COUNT }, (_, index) => `d${index % 7}/f${index}.txt`)

const writesMany = editor('writes_many', (_args, { edits }) => {
  for (const name of NAMES) edits.write(name, bytes(`new ${name}`))
  return { said: '' }
})
const writesOne = editor('writes_one', (_args, { edits }) => {
  edits.write(NAMES.at(-1) ?? '', bytes('mine'))
  return { said: '' }
})

const many = { id: 'm', name: 'writes_many', args: {} }
const one = { id: 'o', name: 'writes_one', args: {} }

describe('landing many files', () => {
  it('tells how many are in place, and so does taking them back', async () => {
    const b = bench()
    const runtime = await b.open({ tools: [writesMany], config: AUTO })
    const told: LiveEvent[] = []
    const [result] = await runtime.run([many], {
      onEvent: (event) => (event.event === 'landing' ? void told.push(event) : undefined),
    })
    expect(result).toMatchObject({ ok: true })
    const { id: execution } = result?.execution ?? { id: '' }
    expect(told.at(0)).toEqual({ event: 'landing', execution, id: 'm', done: 6, total: COUNT })
    expect(told.at(-1)).toEqual({ event: 'landing', execution, id: 'm', done: COUNT, total: COUNT })
    expect(told).toHaveLength(100)
    for (const revert of [runtime.undo, runtime.redo]) {
      const counts: (readonly [number, number])[] = []
      const report = await revert({ onProgress: (done, total) => void counts.push([done, total]) })
      expect(report).toMatchObject({ ok: true, message: null })
      expect(counts.at(-1)).toEqual([COUNT, COUNT])
    }
    expect(fs.readFileSync(join(b.root, 'd0/f0.txt'), 'utf8')).toBe('new d0/f0.txt')
  })

  it('lets other work go on, but no other call changes those files meanwhile', async () => {
    const b = bench()
    const runtime = await b.open({ tools: [writesMany, writesOne], config: AUTO })
    let turns = 0
    const others: ReturnType<typeof runtime.run>[] = []
    const isDone = { is: false }
    const count = (): void => {
      turns++
      if (!isDone.is) setImmediate(count)
    }
    const [result] = await runtime.run([many], {
      onEvent: (event) => {
        if (event.event !== 'landing' || others.length > 0) return
        setImmediate(count)
        others.push(runtime.run([one], { session: 'other' }))
      },
    })
    isDone.is = true
    expect(result).toMatchObject({ ok: true })
    expect(turns).toBeGreaterThan(0)
    const [late] = (await others[0]) ?? []
    const held = fs.readFileSync(join(b.root, NAMES.at(-1) ?? ''), 'utf8')
    // It came either too early, and was refused, or after the last file had its place.
    expect(held).toBe(late?.ok === true ? 'mine' : `new ${NAMES.at(-1) ?? ''}`)
    expect(await runtime.recover({})).toEqual([])
  })
})
