import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../src/core/error.ts'
import { NEXT } from '../../../src/core/lifecycle.ts'
import { auditEvents } from '../../../src/journal/folds/audit.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import { readTree } from '../../harness/faults/world/tree.ts'
import { agreeing, batchOf, editor, outcomes, waysOf, writer } from '../sample-tools.ts'
import { AUTO, bytes, FAILURES, FILES, stagingThen } from './staging-tools.ts'

describe('rolling back', () => {
  it('R-T-003: when the last of several files cannot be changed, none is', async () => {
    const b = bench({ ...FILES, 'fixed.txt': 'read-only' })
    fs.chmodSync(join(b.root, 'fixed.txt'), 0o444)
    const before = readTree(b.root)
    const tool = editor('several', (_args, { edits }) => {
      for (const name of ['a.txt', 'new/n.txt', 'gone.txt', 'fixed.txt']) edits.write(name, bytes('x'))
      return { said: '' }
    })
    const runtime = await b.open({ tools: [tool], config: AUTO })
    const [result] = await runtime.run(batchOf(['several']))
    expect(errorOf(result)).toMatchObject({ code: 'execution_failed', state: 'ROLLED_BACK' })
    expect(readTree(b.root)).toEqual(before)
  })

  it.each(FAILURES)(
    'R-RB-1: a tool that %s is rolled back at once, and the batch goes on',
    async (_name, tool) => {
      const runtime = await bench(FILES).open({ tools: [tool, writer], approve: agreeing() })
      const results = await runtime.run(batchOf(['stages'], ['writer', { path: 'b.txt', word: 'next' }]))
      expect(results.map(({ execution }) => execution.state)).toEqual(['ROLLED_BACK', 'COMPLETED'])
    },
  )

  it.each(FAILURES)(
    'R-RB-2: after a tool that %s every name, byte and mode is as before',
    async (_name, tool) => {
      const b = bench(FILES)
      fs.chmodSync(join(b.root, 'a.txt'), 0o711)
      const before = readTree(b.root)
      const runtime = await b.open({ tools: [tool], approve: agreeing() })
      await runtime.run(batchOf(['stages']))
      expect(readTree(b.root)).toEqual(before)
    },
  )

  it('R-RB-3: files that a failing tool left open are closed', async () => {
    const tool = editor('hoards', (_args, { files }) => {
      for (let count = 0; count < 10; count++) files.open('a.txt')
      throw failure('execution_failed', 'cannot')
    })
    const runtime = await bench(FILES).open({ tools: [tool], config: AUTO })
    const fail = async (): Promise<void> => {
      expect(outcomes(await runtime.run(batchOf(['hoards'])))).toEqual(['execution_failed'])
    }
    await fail()
    const before = fs.readdirSync('/proc/self/fd').length
    for (let count = 0; count < 10; count++) await fail()
    expect(fs.readdirSync('/proc/self/fd').length).toBeLessThan(before + 10)
  })

  it('R-RB-4: the audit trail shows that a call was rolled back, and why', async () => {
    const [[, tool] = ['', writer]] = FAILURES
    const runtime = await bench(FILES).open({ tools: [tool], approve: agreeing() })
    const [result] = await runtime.run(batchOf(['stages']), { actor: { id: 'ada' } })
    const events = [...auditEvents(runtime.log())]
    expect(events.at(-1)).toMatchObject({
      state: 'ROLLED_BACK',
      executionId: result?.execution.id,
      toolId: 'stages',
      userId: 'ada',
      error: { code: 'crashed', class: 'ExecutionError' },
    })
  })

  it.each(FAILURES)(
    'R-RB-5: whoever called a tool that %s gets a structured error',
    async (_name, tool, code) => {
      const runtime = await bench(FILES).open({ tools: [tool], approve: agreeing() })
      const [result] = await runtime.run(batchOf(['stages']))
      expect(errorOf(result)).toMatchObject({
        code,
        kind: expect.any(String),
        type: expect.any(String),
        class: expect.stringMatching(/Error$/),
        message: expect.stringMatching(/./),
        details: expect.any(Object),
        recovery: expect.any(Array),
      })
    },
  )

  it('R-LC-ROLLED_BACK: a rolled back call left the workspace as it was, and goes nowhere from there', async () => {
    const b = bench(FILES)
    const before = readTree(b.root)
    const [[, tool] = ['', writer]] = FAILURES
    const runtime = await b.open({ tools: [tool], approve: agreeing() })
    await runtime.run(batchOf(['stages']))
    expect(waysOf(runtime).get('c1')).toEqual([
      'DECLARED',
      'VALIDATED',
      'AUTHORIZED',
      'EXECUTING',
      'ROLLED_BACK',
    ])
    expect(NEXT.ROLLED_BACK).toEqual([])
    expect(readTree(b.root)).toEqual(before)
  })

  it('R-OUT-3: an answer that its schema forbids takes the changes back', async () => {
    const b = bench(FILES)
    const before = readTree(b.root)
    const runtime = await b.open({
      tools: [stagingThen(() => ({ said: 'x', more: 1 }))],
      approve: agreeing(),
    })
    const [result] = await runtime.run(batchOf(['stages']))
    expect(errorOf(result)).toMatchObject({
      code: 'output_invalid',
      class: 'ValidationError',
      state: 'ROLLED_BACK',
    })
    expect(readTree(b.root)).toEqual(before)
  })

  it('R-FAIL-ExecutionError: a tool that fails is rolled back and, not being idempotent, started once', async () => {
    let starts = 0
    const tool = stagingThen(() => {
      starts++
      throw failure('execution_failed', 'cannot')
    })
    const b = bench(FILES)
    const before = readTree(b.root)
    const runtime = await b.open({ tools: [tool], approve: agreeing() })
    const [result] = await runtime.run(batchOf(['stages']))
    expect(errorOf(result)).toMatchObject({ class: 'ExecutionError', state: 'ROLLED_BACK' })
    expect(starts).toBe(1)
    expect(readTree(b.root)).toEqual(before)
  })

  it('R-FAIL-StateError: a file that changed meanwhile rolls the call back, is reported, and nothing is tried again', async () => {
    let starts = 0
    const b = bench(FILES)
    const tool = editor(
      'stale',
      (_args, { edits }) => {
        starts++
        edits.write('new.txt', bytes('x'))
        edits.write('a.txt', bytes('mine'))
        b.put('a.txt', 'somebody else was quicker')
        return { said: '' }
      },
      { idempotent: true },
    )
    const runtime = await b.open({ tools: [tool], config: AUTO })
    const [result] = await runtime.run(batchOf(['stale']))
    expect(errorOf(result)).toMatchObject({
      code: 'stale_file',
      class: 'StateError',
      state: 'ROLLED_BACK',
      details: { file: 'a.txt' },
    })
    expect(starts).toBe(1)
    expect(fs.readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('somebody else was quicker')
    expect(fs.existsSync(join(b.root, 'new.txt'))).toBe(false)
  })
})
