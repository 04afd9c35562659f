import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'

/** As many as are needed for progress to be told, so that something can happen in the midst of an undo. */
const FILES = 500

/** Undoes a command that exchanged two folders; `meddle` is handed one of them when the first files were put away. */
async function undoneWhile(meddle: (folder: string) => void) {
  const names = Array.from({ length: FILES }, (_, index) => `f${index}`)
  const b = bench(Object.fromEntries(names.map((name) => [`d/${name}`, name])))
  mkdirSync(join(b.root, 'e/in'), { recursive: true })
  const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
  const args = { cmd: ['sh', '-c', 'mv d t; mv e d; mv t e'] }
  const [result] = await runtime.run([{ id: 'c', name: 'run_shell', args }])
  expect(result?.ok).toBe(true)
  let isDone = false
  const report = await runtime.undo({
    onProgress: () => {
      if (!isDone) meddle(join(b.root, 'd'))
      isDone = true
    },
  })
  return { runtime, report, filesIn: (name: string) => readdirSync(join(b.root, name)) }
}

it('what an undo has put away is back if a folder vanishes meanwhile', async () => {
  const { runtime, report, filesIn } = await undoneWhile((folder) => rmSync(folder, { recursive: true }))
  expect(report.ok).toBe(false)
  expect(report.message).toContain('Nothing was changed.')
  expect([filesIn('e').length, filesIn('d')]).toEqual([FILES, ['in']])
  expect(await runtime.undo()).toMatchObject({ ok: true })
  expect([filesIn('d').length, filesIn('e')]).toEqual([FILES, ['in']])
  await runtime.close()
})
