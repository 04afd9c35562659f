import { appendFileSync, closeSync, linkSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench, outputOf } from '../../bench-folder.ts'

/** Runs a line of shell on a layer and lets it land. */
async function land(b: ReturnType<typeof bench>, line: string) {
  const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
  const [result] = await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
  outputOf(result)
  return runtime
}

it.for(['echo changed > f', 'rm f'])(
  'what %s replaces is not changed by another name of it',
  async (line) => {
    const b = bench({ f: 'original\n' })
    const [f, g] = [join(b.root, 'f'), join(b.root, 'g')]
    linkSync(f, g)
    const before = statSync(f)
    const runtime = await land(b, line)
    appendFileSync(g, 'by a person\n')
    expect(await runtime.undo()).toMatchObject({ ok: true, message: null })
    expect(readFileSync(f, 'utf8')).toBe('original\n')
    expect(statSync(f)).toMatchObject({ mode: before.mode, mtimeMs: before.mtimeMs })
    expect(readFileSync(g, 'utf8')).toBe('original\nby a person\n')
  },
)

it('what undo sets aside is not changed by another name that somebody gave it meanwhile', async () => {
  const b = bench({ f: 'original\n' })
  const [f, g] = [join(b.root, 'f'), join(b.root, 'g')]
  const runtime = await land(b, 'echo changed > f')
  linkSync(f, g)
  expect(await runtime.undo()).toMatchObject({ ok: true })
  appendFileSync(g, 'by a person\n')
  expect(await runtime.redo()).toMatchObject({ ok: true, message: null })
  expect(readFileSync(f, 'utf8')).toBe('changed\n')
})

it('a file that a program still writes to is not put back, and it is said where it lies', async () => {
  const b = bench({ 'app.log': 'original\n' })
  const log = openSync(join(b.root, 'app.log'), 'a')
  const runtime = await land(b, 'rm app.log')
  writeSync(log, 'later\n')
  closeSync(log)
  const { ok, message } = await runtime.undo()
  expect(ok).toBe(false)
  const path = /What was set aside is (\S+)$/.exec(message ?? '')?.[1] ?? ''
  expect(readFileSync(path, 'utf8')).toBe('original\nlater\n')
})
