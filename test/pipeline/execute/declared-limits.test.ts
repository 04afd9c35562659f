import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { editor, outcomes, reader } from '../sample-tools.ts'

const AUTO = { config: { 'tools.approval.mode': 'auto' } }
const never = () => new Promise<never>(() => undefined)

const open = (more: object) =>
  reader('open', ({ path = '' }, { files }) => ({ said: String(files.open(path).readAll(1000).length) }), {
    claims: ({ path }: { path: string }) => [{ path, intent: 'read' }],
    ...more,
  })
const fill = (more: object) =>
  editor(
    'fill',
    ({ path = '', word = '' }, { edits }) => {
      edits.write(path, new TextEncoder().encode(word))
      return { said: '' }
    },
    { ...more },
  )

describe('declared limits', () => {
  it('R-T-002: a tool is not handed a larger file than it declared, at the byte', async () => {
    const b = bench({ fits: '12345', large: '123456' })
    const options = { tools: [open({ limits: { maxFileBytes: 5 } })] }
    expect(outputOf(await b.call('open', { path: 'fits' }, options))).toEqual({ said: '5' })
    expect(errorOf(await b.call('open', { path: 'large' }, options))).toMatchObject({
      code: 'limit_exceeded',
      state: 'ROLLED_BACK',
      details: { bytes: 6, limit: 5 },
    })
    expect(outputOf(await b.call('open', { path: 'large' }, { tools: [open({})] }))).toEqual({ said: '6' })
  })

  it('R-CHK-RT-3: limits hold while a tool runs: a larger file is not written, and nothing else of the call is either', async () => {
    const b = bench()
    const both = editor(
      'both',
      ({ word = '' }, { edits }) => {
        edits.write('small', new Uint8Array(1))
        edits.write('large', new TextEncoder().encode(word))
        return { said: '' }
      },
      { limits: { maxFileBytes: 5 } },
    )
    expect(outcomes([await b.call('both', { word: '123456' }, { ...AUTO, tools: [both] })])).toEqual([
      'limit_exceeded',
    ])
    expect(existsSync(join(b.root, 'small'))).toBe(false)
    expect(outcomes([await b.call('both', { word: '12345' }, { ...AUTO, tools: [both] })])).toEqual(['ok'])
    expect(readFileSync(join(b.root, 'large'), 'utf8')).toBe('12345')
  })

  it('R-CONTRACT-3: a call that keeps within its declared time and size succeeds, one that does not fails', async () => {
    const b = bench()
    const limits = { maxFileBytes: 3, maxExecutionTimeMs: 1000 }
    const good = fill({ limits })
    outputOf(await b.call('fill', { path: 'a', word: 'abc' }, { ...AUTO, tools: [good] }))
    expect(errorOf(await b.call('fill', { path: 'a', word: 'abcd' }, { ...AUTO, tools: [good] })).code).toBe(
      'limit_exceeded',
    )
    const slow = fill({ run: never, limits: { maxExecutionTimeMs: 5 } })
    expect(errorOf(await b.call('fill', { path: 'a', word: 'abc' }, { ...AUTO, tools: [slow] })).code).toBe(
      'timeout',
    )
  })
})
