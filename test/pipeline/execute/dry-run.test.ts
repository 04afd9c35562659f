import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { integer, object, string } from '../../../src/schema/schema.ts'
import { bench, benchAskingBefore, errorOf, outputOf } from '../../bench-folder.ts'

const nothing = object({}, 'Nothing')

/** A tool that starts a process whatever it is told. */
const heedless = defineTool({
  name: 'heedless',
  version: '1.0.0',
  description: 'Starts a process',
  effect: 'spawn',
  input: nothing,
  output: object({ exit: integer('Its exit code') }, 'An exit code'),
  run: async (_args, { spawn, timeoutMs }) => ({
    exit: (await spawn.run({ argv: ['touch', 'made'], timeoutMs })).exitCode ?? -1,
  }),
})

/** A tool that acts outside whatever it is told. */
function outsider(acts: unknown[]) {
  return defineTool({
    name: 'outsider',
    version: '1.0.0',
    description: 'Acts outside',
    effect: 'external',
    input: nothing,
    output: object({ said: string('Words') }, 'Words'),
    run: () => {
      acts.push(1)
      return { said: 'done' }
    },
  })
}

describe('a dry run', () => {
  it('starts no process that would be asked about first, also for a tool that does not look whether it is one', async () => {
    const b = benchAskingBefore()
    const runtime = await b.open({ tools: [heedless] })
    const [result] = await runtime.run([{ id: '1', name: 'heedless', args: {} }], { dryRun: true })
    expect(errorOf(result).details).toEqual({ dry_run: true, would_run: ['touch', 'made'] })
    expect(outputOf(await b.call('list_files', {}))).toMatchObject({ files: [] })
  })

  it('runs a process that would run unasked on a layer, which it drops', async () => {
    const b = bench({ 'a.txt': 'a\n', 'folder/b.txt': 'b\n' })
    const runtime = await b.open({ tools: [heedless] })
    const results = await runtime.run(
      [
        { id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', 'rm -r folder; echo c >a.txt'] } },
        { id: '2', name: 'heedless', args: {} },
      ],
      { dryRun: true },
    )
    expect(outputOf(results[0])).toMatchObject({
      dry_run: true,
      exit_code: 0,
      changes: [
        { path: 'a.txt', change: 'modified' },
        { path: 'folder/b.txt', change: 'deleted' },
      ],
      diff: expect.stringContaining('+c') as string,
    })
    expect(outputOf(results[1])).toEqual({ exit: 0 })
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('a\n')
    expect(readdirSync(b.root).toSorted()).toEqual(['a.txt', 'folder'])
  })

  it('does not act outside: nobody is asked about a dry run', async () => {
    const acts: unknown[] = []
    const runtime = await bench().open({ tools: [outsider(acts)] })
    const [result] = await runtime.run([{ id: '1', name: 'outsider', args: {} }], { dryRun: true })
    expect(errorOf(result)).toMatchObject({ code: 'not_allowed', details: { dry_run: true } })
    expect(acts).toEqual([])
  })
})

describe('a question about a call that starts what its arguments do not say', () => {
  const project = { 'package.json': '{"scripts":{"test":"node --test"}}' }

  it('says what would be started, and starts nothing before the answer', async () => {
    const asked: ApprovalRequest[] = []
    const b = benchAskingBefore(project)
    const runtime = await b.open({
      tools: [heedless],
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'deny' as const)
      },
    })
    await runtime.run([
      { id: '1', name: 'run_tests', args: { selector: 'adds' } },
      { id: '2', name: 'heedless', args: {} },
      { id: '3', name: 'run_shell', args: { cmd: ['true'] } },
    ])
    expect(asked.map(({ note }) => note)).toEqual([
      'It would run: node --test-reporter=tap --test-reporter-destination=stdout --test-name-pattern=adds --test',
      'It would run: touch made',
      undefined,
    ])
    expect(outputOf(await b.call('list_files', {}))).toMatchObject({ files: [{ path: 'package.json' }] })
  })

  it('is not asked where it could not be done; one that earlier calls may make possible is', async () => {
    const asked: string[] = []
    const runtime = await benchAskingBefore({}).open({
      approve: (requests) => {
        asked.push(...requests.map(({ call }) => call.name))
        return requests.map(() => 'once' as const)
      },
    })
    const [alone] = await runtime.run([{ id: '1', name: 'run_tests', args: {} }])
    expect(errorOf(alone)).toMatchObject({ code: 'execution_failed', type: 'process-error' })
    expect(asked).toEqual([])
    const tap = "console.log('ok')\n"
    const [, , tested] = await runtime.run([
      { id: '1', name: 'write_file', args: { path: 'package.json', content: project['package.json'] } },
      { id: '2', name: 'write_file', args: { path: 'a.test.js', content: tap } },
      { id: '3', name: 'run_tests', args: {} },
    ])
    expect(asked).toEqual(['write_file', 'write_file', 'run_tests'])
    expect(outputOf(tested)).toMatchObject({ total: 1, passed: 1 })
  })

  it('shows each call of a batch on top of what the earlier ones would have read and left behind', async () => {
    const b = bench({ 'a.txt': 'a\n' })
    const runtime = await b.open()
    const results = await runtime.run(
      [
        { id: '1', name: 'read_file', args: { path: 'a.txt' } },
        { id: '2', name: 'write_file', args: { path: 'a.txt', content: 'b\n' } },
        { id: '3', name: 'edit_file', args: { path: 'a.txt', old: 'b', new: 'c' } },
        { id: '4', name: 'write_file', args: { path: 'new/n.txt', content: 'n\n' } },
        { id: '5', name: 'edit_file', args: { path: 'new/n.txt', old: 'n', new: 'm' } },
      ],
      { dryRun: true },
    )
    expect(results.map((result) => (result.ok ? 'ok' : result.error))).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
    // Nothing of it stays: the file has not been read after all.
    const [later] = await runtime.run(
      [{ id: '6', name: 'write_file', args: { path: 'a.txt', content: 'b\n' } }],
      { dryRun: true },
    )
    expect(errorOf(later).code).toBe('stale_file')
  })
})
