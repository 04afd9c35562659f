import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { lp1 } from '../../tools/edits/edit-bench.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }
const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'k.pem': 'x' }
const echo = { id: 'cmd', name: 'run_shell', args: { cmd: ['echo', 'hi'] } }

describe('after an edit that was refused', () => {
  const REFUSED: readonly (readonly [why: string, name: string, args: object])[] = [
    ['stale_file', 'edit_file', { path: 'a.txt', old: 'one', new: '1' }],
    ['patch_failed', 'apply_patch', { patch: 'LP1\nF a.txt\nQ\nEND\n' }],
    ['bad_args', 'edit_file', { path: 'a.txt' }],
    ['denied_pattern', 'write_file', { path: 'k.pem', content: 'x' }],
    ['path_outside_sandbox', 'write_file', { path: '../x', content: 'x' }],
  ]

  it.each(REFUSED)(
    'commands of the message are skipped, and nobody is asked about them: %s',
    async (code, name, args) => {
      const asked: ApprovalRequest[] = []
      const approve: RuntimeOptions['approve'] = (requests) => {
        asked.push(...requests)
        return requests.map(() => 'once' as const)
      }
      const runtime = await bench(FILES).open({ approve, config: { 'tools.shell.ask': 'before' } })
      const read = { id: 'r', name: 'read_file', args: { path: 'b.txt' } }
      const [edit, command, after] = await runtime.run([{ id: 'e', name, args }, echo, read])
      expect(errorOf(edit).code).toBe(code)
      expect(errorOf(command)).toMatchObject({ code: 'skipped', details: { after: name } })
      expect(errorOf(command).content).toContain(`${name} of the same message was refused`)
      expect(after?.ok).toBe(true)
      expect(asked.map(({ call }) => call.name)).not.toContain('run_shell')
    },
  )

  it('other edits of the message are made, and the skipped command says so', async () => {
    const b = bench(FILES)
    const runtime = await b.open({ ...agreed, config: { 'tools.approval.mode': 'auto' } })
    const [, command, later] = await runtime.run([
      { id: 'p', name: 'apply_patch', args: { patch: lp1('F a.txt', 'R', 'absent', '.', 'x', '.') } },
      echo,
      { id: 'w', name: 'write_file', args: { path: 'n.txt', content: 'n' } },
    ])
    expect(later?.ok).toBe(true)
    expect(errorOf(command).content).toBe(
      'Skipped: apply_patch of the same message was refused, so this command would run on files that are not as you meant them. Only commands are skipped: the other edits of the message have results of their own.\nSend the refused edit again, put right and without those that were made, then the command.',
    )
  })

  it('by a person, the command is skipped too', async () => {
    const approve: RuntimeOptions['approve'] = (requests) => requests.map(() => 'deny' as const)
    const runtime = await bench(FILES).open({ approve })
    const write = { id: 'w', name: 'write_file', args: { path: 'n.txt', content: 'n' } }
    const [denied, command] = await runtime.run([write, echo])
    expect(errorOf(denied).code).toBe('approval_denied')
    expect(errorOf(command).code).toBe('skipped')
  })

  it.each([
    [
      'a command before it',
      [echo, { id: 'e', name: 'edit_file', args: { path: 'a.txt', old: 'x', new: 'y' } }],
      0,
    ],
    [
      'an edit that failed on its own',
      [
        { id: 'r', name: 'read_file', args: { path: 'a.txt' } },
        { id: 'e', name: 'edit_file', args: { path: 'a.txt', old: 'absent', new: 'y' } },
        echo,
      ],
      2,
    ],
    ['a read that failed', [{ id: 'r', name: 'read_file', args: { path: 'absent' } }, echo], 1],
  ])('%s does not skip it', async (_what, calls, at) => {
    const runtime = await bench(FILES).open(agreed)
    expect(outputOf((await runtime.run(calls))[at])['stdout']).toBe('hi\n')
  })

  it('go_on, and so strict, runs it', async () => {
    const config = { 'tools.on_refused_edit': 'go_on' }
    const runtime = await bench(FILES).open({ ...agreed, config })
    const [, command] = await runtime.run([
      { id: 'e', name: 'edit_file', args: { path: 'a.txt', old: 'one', new: '1' } },
      echo,
    ])
    expect(outputOf(command)['stdout']).toBe('hi\n')
    const strict = await bench().open({ config: { profile: 'strict' } })
    expect(strict.configuration.settings['tools.on_refused_edit']).toBe('go_on')
  })
})

describe('a patch over several files', () => {
  const patch = lp1(...['a', 'b', 'c'].flatMap((name) => [`F ${name}.txt`, 'T', 'x', '.']))

  it('names every file that was not read before anything happens, and the calls to make', async () => {
    const b = bench(FILES)
    const runtime = await b.open({ config: { 'tools.approval.mode': 'auto' } })
    await runtime.run([{ id: 'r', name: 'read_file', args: { path: 'b.txt' } }])
    const [refused] = await runtime.run([{ id: 'p', name: 'apply_patch', args: { patch } }])
    const error = errorOf(refused)
    expect(error).toMatchObject({
      code: 'stale_file',
      message: 'File was not read before patching',
      details: { file: 'a.txt', unread: ['a.txt', 'c.txt'] },
    })
    expect(error.content).toContain(
      'Not read yet: a.txt, c.txt. Call read_file {"path":"a.txt"}, read_file {"path":"c.txt"}, then send the patch again; nothing was changed.',
    )
  })

  it('names the call for a single one', async () => {
    const runtime = await bench(FILES).open({ config: { 'tools.approval.mode': 'auto' } })
    await runtime.run(
      ['a', 'b'].map((name) => ({ id: name, name: 'read_file', args: { path: `${name}.txt` } })),
    )
    const [refused] = await runtime.run([{ id: 'p', name: 'apply_patch', args: { patch } }])
    expect(errorOf(refused).content).toContain('Call read_file with {"path":"c.txt"} first')
  })
})
