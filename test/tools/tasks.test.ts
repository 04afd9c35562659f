import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { editBench } from './edits/edit-bench.ts'

type Named = { readonly id: string; readonly [field: string]: unknown }
const taskOf = (output: Readonly<Record<string, unknown>>): Named => output['task'] as Named

describe('todo_write', () => {
  it('F-TOOL-todo_write: all seven actions work on a list that touches no file until it is exported', async () => {
    const b = await editBench({ 'src/a.ts': 'x\n' })
    const before = b.tree()
    const first = taskOf(
      outputOf(
        await b.run('todo_write', {
          action: 'create',
          title: 'Mend it',
          note: 'soon',
          location: { path: 'src/a.ts', line: 1 },
          labels: ['bug'],
        }),
      ),
    )
    const second = taskOf(outputOf(await b.run('todo_write', { action: 'create', title: 'Test it' })))
    expect(first).toMatchObject({ id: 't1', title: 'Mend it', status: 'open', labels: ['bug'] })
    expect(
      taskOf(outputOf(await b.run('todo_write', { action: 'update', id: second.id, note: 'well' }))),
    ).toMatchObject({ title: 'Test it', note: 'well' })
    expect(taskOf(outputOf(await b.run('todo_write', { action: 'complete', id: first.id })))).toMatchObject({
      status: 'completed',
    })
    expect(
      outputOf(await b.run('todo_write', { action: 'list', filter: { status: 'completed' } }))['tasks'],
    ).toHaveLength(1)
    expect(
      outputOf(await b.run('todo_write', { action: 'list', filter: { label: 'bug', path: 'src/a.ts' } }))[
        'tasks'
      ],
    ).toHaveLength(1)
    expect(taskOf(outputOf(await b.run('todo_write', { action: 'reopen', id: first.id })))).toMatchObject({
      status: 'open',
    })
    expect(outputOf(await b.run('todo_write', { action: 'delete', id: second.id }))).toEqual({
      deleted: true,
      id: second.id,
    })
    expect(outputOf(await b.run('todo_write', { action: 'list' }))['tasks']).toMatchObject([{ id: first.id }])
    expect(b.tree()).toEqual(before)
    expect(outputOf(await b.run('todo_write', { action: 'export' }))).toEqual({
      path: 'docs/TODO.md',
      count: 1,
    })
    expect(b.raw('docs/TODO.md')).toContain('- [ ] Mend it (`src/a.ts:1`) [bug]: soon')
    for (const id of ['t3', 't4'])
      expect(taskOf(outputOf(await b.run('todo_write', { action: 'create', title: 'More' }))).id).toBe(id)
  })

  it('F-TOOL-todo_write: what an action answers is what the list has from then on, and other tasks stay', async () => {
    const b = await editBench({ 'a.ts': 'x\n' })
    const run = async (args: object) => outputOf(await b.run('todo_write', args))
    const { id } = taskOf(await run({ action: 'create', title: 'one', note: 'n', labels: ['l'] }))
    const other = taskOf(await run({ action: 'create', title: 'two', note: 'theirs' }))
    const fields = { title: 'new', note: 'm', labels: ['k'], location: { path: 'a.ts', line: 1 } }
    for (const [args, expected] of [
      [
        { action: 'update', title: 'new' },
        { title: 'new', note: 'n', labels: ['l'], status: 'open' },
      ],
      [
        { action: 'update', ...fields },
        { ...fields, status: 'open' },
      ],
      [{ action: 'complete' }, { ...fields, status: 'completed' }],
      [{ action: 'reopen' }, { ...fields, status: 'open' }],
    ] as const) {
      const answered = taskOf(await run({ ...args, id }))
      expect(answered).toMatchObject(expected)
      expect((await run({ action: 'list' }))['tasks']).toEqual([answered, other])
    }
    for (const action of ['update', 'complete', 'reopen', 'delete'])
      expect(errorOf(await b.run('todo_write', { action, id: 't9' })).code).toBe('bad_args')
    await run({ action: 'delete', id })
    expect((await run({ action: 'list' }))['tasks']).toEqual([other])
  })

  it.each([
    [{ status: 'completed' }, ['t2']],
    [{ label: 'bug' }, ['t1']],
    [{ path: 'b.ts' }, ['t2', 't3']],
    [{ path: 'b.ts', label: 'chore' }, ['t2']],
    [{ label: 'none' }, []],
  ])('F-TOOL-todo_write: %j lists exactly what each part of the filter lets through', async (filter, ids) => {
    const b = await editBench({ 'a.ts': 'x\n', 'b.ts': 'x\n' })
    const create = (title: string, path: string, labels: readonly string[]) =>
      b.run('todo_write', { action: 'create', title, location: { path, line: 1 }, labels })
    outputOf(await create('one', 'a.ts', ['bug']))
    outputOf(await create('two', 'b.ts', ['chore']))
    outputOf(await create('three', 'b.ts', []))
    outputOf(await b.run('todo_write', { action: 'complete', id: 't2' }))
    const { tasks } = outputOf(await b.run('todo_write', { action: 'list', filter }))
    expect((tasks as readonly Named[]).map(({ id }) => id)).toEqual(ids)
  })

  it.each([
    [{ action: 'create' }, /needs a title/],
    [{ action: 'complete' }, /needs an id/],
    [{ action: 'delete', id: 't9' }, /There is none yet/],
    [{ action: 'fly' }, /must be one of/],
    [{ action: 'create', title: 'x', location: { path: '../x', line: 1 } }, /goes up/],
  ])('%j is refused with what to do', async (args, message) => {
    const b = await editBench()
    expect(errorOf(await b.run('todo_write', args)).message).toMatch(message)
  })

  it('the list survives a restart, and each session has its own', async () => {
    const b = bench()
    const make = { durability: 'full' } as const
    const ask = async (args: object, session: string) => {
      const runtime = await b.open(make)
      const [result] = await runtime.run([{ id: '1', name: 'todo_write', args }], { session })
      await runtime.close()
      return outputOf(result)
    }
    await ask({ action: 'create', title: 'Kept' }, 'one')
    expect((await ask({ action: 'list' }, 'one'))['tasks']).toMatchObject([{ title: 'Kept' }])
    expect((await ask({ action: 'list' }, 'two'))['tasks']).toEqual([])
    expect(await (await b.open(make)).tasks()).toEqual([
      { session: 'one', id: 't1', title: 'Kept', status: 'open' },
    ])
  })

  it.each(['todo_write', 'task'])('F-SAFE-REDACT: an export of %s leaves secrets out', async (name) => {
    const e = await editBench()
    const more = name === 'task' ? { description: 'API_KEY=abcdef123456' } : { note: 'API_KEY=abcdef123456' }
    await e.run(name, { action: 'create', title: 'Rotate ghp_abcdefghijklmnopqrstuvwxyz0123456789', ...more })
    outputOf(await e.run(name, { action: 'export', export_path: 'list.md' }))
    expect(e.raw('list.md')).toContain('Rotate [redacted]')
    expect(e.raw('list.md')).toContain('API_KEY=[redacted]')
    expect(e.raw('list.md')).not.toMatch(/abcdef/)
  })

  it('export is asked about, can be undone, and leaves secrets out', async () => {
    const b = bench()
    const runtime = await b.open()
    await runtime.run([
      {
        id: '1',
        name: 'todo_write',
        args: { action: 'create', title: 'Rotate', note: 'API_KEY=abcdef123456' },
      },
    ])
    const [denied] = await runtime.run([{ id: '1', name: 'todo_write', args: { action: 'export' } }])
    expect(errorOf(denied).code).toBe('approval_denied')
    const e = await editBench()
    await e.run('todo_write', { action: 'create', title: 'Rotate', note: 'API_KEY=abcdef123456' })
    await e.run('todo_write', { action: 'export', export_path: 'todo.md' })
    expect(e.raw('todo.md')).not.toContain('abcdef123456')
    await e.runtime.undo()
    expect(e.raw('todo.md')).toBeNull()
  })

  it.for(['todo_write', 'task'])('a dry run of %s leaves the list as it is, and says so', async (tool) => {
    const b = await editBench()
    const tried = await b.run(tool, { action: 'create', title: 'x' }, { dryRun: true })
    expect(outputOf(tried)).toMatchObject({ dry_run: true, preview: expect.stringMatching(/ \[open\] x$/) })
    expect(tried?.content).toMatch(/^dry run, nothing was changed: /)
    expect(outputOf(await b.run(tool, { action: 'list' }))['tasks']).toEqual([])
    const { id } = taskOf(outputOf(await b.run(tool, { action: 'create', title: 'y' })))
    const deleted = await b.run(tool, { action: 'delete', id }, { dryRun: true })
    expect([outputOf(deleted)['dry_run'], deleted?.content]).toEqual([
      true,
      `dry run, nothing was changed: deleted ${String(id)}`,
    ])
    expect(outputOf(await b.run(tool, { action: 'list' }, { dryRun: true }))).not.toHaveProperty('dry_run')
    expect(outputOf(await b.run(tool, { action: 'list' }))['tasks']).toHaveLength(1)
  })
})

describe('task', () => {
  it('F-TOOL-task: all eleven actions work, with parts, conditions, links, notes and history', async () => {
    const b = await editBench({ 'a.ts': 'x\n' })
    const run = async (args: object) => outputOf(await b.run('task', args))
    const { id } = taskOf(
      await run({
        action: 'create',
        title: 'Big',
        description: 'd',
        acceptance: ['works'],
        links: [{ path: 'a.ts', line: 1 }],
        labels: ['l'],
        priority: 'high',
      }),
    )
    expect(taskOf(await run({ action: 'update', id, description: 'better' }))).toMatchObject({
      description: 'better',
      priority: 'high',
    })
    expect(taskOf(await run({ action: 'set_status', id, status: 'blocked' }))).toMatchObject({
      status: 'blocked',
    })
    expect(taskOf(await run({ action: 'add_subtask', id, subtask: { title: 'part' } }))['subtasks']).toEqual([
      { id: 's1', title: 'part', done: false },
    ])
    expect(
      taskOf(await run({ action: 'update_subtask', id, subtask: { id: 's1', done: true } }))['subtasks'],
    ).toEqual([{ id: 's1', title: 'part', done: true }])
    await run({ action: 'add_note', id, note: 'thought about it' })
    await run({ action: 'complete', id })
    expect(taskOf(await run({ action: 'reopen', id }))['history']).toEqual([
      'status: blocked',
      'thought about it',
      'status: completed',
      'status: open',
    ])
    expect((await run({ action: 'list', filter: { path: 'a.ts', status: 'open' } }))['tasks']).toHaveLength(1)
    expect(await run({ action: 'export', export_path: 'road.md' })).toEqual({ path: 'road.md', count: 1 })
    expect(b.raw('road.md')).toContain('## Big (open, high)')
    expect(await run({ action: 'delete', id })).toEqual({ deleted: true, id })
    expect(await run({ action: 'list' })).toEqual({ tasks: [] })
  })

  it('F-TOOL-task: every field that is given is kept, listed, exported, and replaced only where it is given again', async () => {
    const b = await editBench({ 'a.ts': 'x\n', 'b.ts': 'x\n' })
    const run = async (args: object) => outputOf(await b.run('task', args))
    const fields = {
      title: 'Big',
      description: 'what it is about',
      acceptance: ['it works', 'it is quick'],
      links: [{ path: 'a.ts', line: 1 }],
      labels: ['l'],
      priority: 'high',
    }
    const { id } = taskOf(await run({ action: 'create', ...fields }))
    await run({ action: 'add_subtask', id, subtask: { title: 'a part of it' } })
    const listed = async () => ((await run({ action: 'list' }))['tasks'] as readonly unknown[])[0]
    expect(await listed()).toMatchObject(fields)
    await run({ action: 'export', export_path: 'road.md' })
    const page = b.raw('road.md')
    for (const text of ['Big', 'what it is about', 'it works', 'it is quick', 'a.ts:1', 'a part of it'])
      expect(page).toContain(text)
    const more = { acceptance: ['it is small'], links: [{ path: 'b.ts', line: 1 }] }
    await run({ action: 'update', id, ...more })
    expect(await listed()).toMatchObject({ ...fields, ...more, subtasks: [{ title: 'a part of it' }] })
  })

  it('F-TOOL-task: an action on one task or one part leaves all others as they were', async () => {
    const b = await editBench()
    const run = async (args: object) => outputOf(await b.run('task', args))
    const first = taskOf(await run({ action: 'create', title: 'one', priority: 'low' }))
    const second = taskOf(await run({ action: 'create', title: 'two' }))
    for (const title of ['part one', 'part two'])
      await run({ action: 'add_subtask', id: second.id, subtask: { title } })
    const updated = taskOf(
      await run({ action: 'update_subtask', id: second.id, subtask: { id: 's2', title: 'new', done: true } }),
    )
    expect(updated['subtasks']).toEqual([
      { id: 's1', title: 'part one', done: false },
      { id: 's2', title: 'new', done: true },
    ])
    await run({ action: 'update', id: second.id, title: 'changed' })
    await run({ action: 'complete', id: second.id })
    const { tasks } = await run({ action: 'list' })
    expect(tasks).toEqual([
      first,
      expect.objectContaining({
        id: second.id,
        title: 'changed',
        status: 'completed',
        subtasks: updated['subtasks'],
      }),
    ])
    await run({ action: 'delete', id: first.id })
    expect((await run({ action: 'list' }))['tasks']).toMatchObject([{ id: second.id }])
  })

  it.each([
    [{ action: 'set_status', id: 'task-1' }, /needs a status/],
    [{ action: 'add_subtask', id: 'task-1', subtask: {} }, /subtask\.title/],
    [{ action: 'update_subtask', id: 'task-1', subtask: { done: true } }, /subtask\.id/],
    [{ action: 'update_subtask', id: 'task-1', subtask: { id: 's7' } }, /no subtask "s7"/],
    [{ action: 'add_note', id: 'task-1' }, /needs a note/],
    [{ action: 'update' }, /needs an id/],
  ])('%j is refused with what is missing', async (args, message) => {
    const b = await editBench()
    await b.run('task', { action: 'create', title: 'x' })
    expect(errorOf(await b.run('task', args)).message).toMatch(message)
  })
})

describe('exports that are only shown', () => {
  it.each(['todo_write', 'task'])('%s shows the page it would write, and writes none', async (tool) => {
    const b = bench()
    const output = outputOf(await b.call(tool, { action: 'export' }, {}, { dryRun: true }))
    expect(output).toMatchObject({ dry_run: true, preview: expect.stringContaining('+++ b/docs/TODO.md') })
    expect(existsSync(join(b.root, 'docs'))).toBe(false)
  })
})
