import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { enterFolders } from '../../../../src/host/run/noted/direct-writers.ts'
import { makeScratch } from '../../../harness/scratch.ts'

const NEVER = new AbortController().signal
const one = (folder: string) => ({ folders: [folder], background: null })
const notesIn = (state: string): readonly string[] => readdirSync(join(state, 'direct'))

it('two commands that write the same folders directly run one after the other, others beside them', async () => {
  const state = makeScratch().path
  let running = 0
  let most = 0
  const work = async (folder: string): Promise<void> => {
    const { leave } = await enterFolders(state, one(folder), NEVER)
    running++
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running--
    leave()
  }
  await Promise.all(['/w/out', '/w', '/w/out/deep', '/w/out'].map(work))
  expect(most).toBe(1)
  const { leave } = await enterFolders(state, one('/w/out'), NEVER)
  const beside = await enterFolders(state, one('/w/output'), NEVER)
  beside.leave()
  leave()
  expect(notesIn(state)).toEqual([])
})

it('one in the background is named and not waited for; once it has ended, others go on', async () => {
  const state = makeScratch().path
  const background = { handle: 'h1', words: 'npm run dev' }
  const { leave } = await enterFolders(state, { folders: ['/w/out'], background }, NEVER)
  await expect(enterFolders(state, one('/w'), NEVER)).rejects.toThrow(
    'npm run dev runs in the background and writes the same folder directly',
  )
  leave()
  const next = await enterFolders(state, one('/w'), NEVER)
  next.leave()
  expect(notesIn(state)).toEqual([])
})

it('whoever waits can be cancelled, and leaves no note', async () => {
  const state = makeScratch().path
  const { leave } = await enterFolders(state, one('/w'), NEVER)
  const stop = new AbortController()
  const waiting = enterFolders(state, one('/w'), stop.signal)
  stop.abort()
  await expect(waiting).rejects.toThrow('aborted')
  expect(notesIn(state)).toHaveLength(1)
  leave()
})

/** Enters a folder in a process that is killed there. */
function dieIn(state: string, line: string): void {
  const module = new URL('../../../../src/host/run/noted/direct-writers.ts', import.meta.url).href
  const code = `const { enterFolders } = await import(${JSON.stringify(module)})
    const writer = { folders: ['/w'], background: { handle: 'h', words: 'dev' } }
    const entered = await enterFolders(${JSON.stringify(state)}, writer, new AbortController().signal)
    ${line}
    process.kill(process.pid, 'SIGKILL')`
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', code]).signal).toBe('SIGKILL')
}

it('a process that died before its command began holds nobody up', async () => {
  const state = makeScratch().path
  dieIn(state, '')
  const { leave, left } = await enterFolders(state, one('/w'), NEVER)
  expect(left).toEqual([])
  leave()
  expect(notesIn(state)).toEqual([])
})

it('what was there before a command that was killed is told to those after it, until one has looked', async () => {
  const state = makeScratch().path
  const before = [{ repositories: ['/w/old'], unreadable: [], unseen: ['/w/shut'] }]
  dieIn(state, `entered.noteBefore(${JSON.stringify(before)})`)
  for (const round of [1, 2]) {
    const { leave, left } = await enterFolders(state, one('/w/out'), NEVER)
    expect(left).toMatchObject([{ folders: ['/w'], before }])
    if (round === 2) left[0]?.settle()
    leave()
  }
  const { leave, left } = await enterFolders(state, one('/w/out'), NEVER)
  expect(left).toEqual([])
  leave()
  expect(notesIn(state)).toEqual([])
})

it('what was there is told however many names there were, and however long', async () => {
  const state = makeScratch().path
  const unseen = `Array.from({ length: 6_000 }, (_, at) => '/w/' + 'k'.repeat(200) + at)`
  dieIn(state, `entered.noteBefore([{ repositories: ['/w/old'], unreadable: [], unseen: ${unseen} }])`)
  const { leave, left } = await enterFolders(state, one('/w'), NEVER)
  expect(left).toMatchObject([{ before: [{ repositories: ['/w/old'] }] }])
  expect(left[0]?.before[0]?.unseen).toHaveLength(6_000)
  leave()
})

it('no command begins if what was there cannot be noted, or a note of a killed one cannot be read', async () => {
  const state = makeScratch().path
  const { leave, noteBefore } = await enterFolders(state, one('/w'), NEVER)
  const unseen = ['x'.repeat(64 * 1024 ** 2)]
  expect(() => noteBefore([{ repositories: [], unreadable: [], unseen }])).toThrow(/could not be noted/)
  leave()
  expect(notesIn(state)).toEqual([])
  dieIn(state, `entered.noteBefore([])`)
  const name = notesIn(state).find((note) => note.endsWith('.before')) ?? ''
  rmSync(join(state, 'direct', name))
  mkdirSync(join(state, 'direct', name))
  const entering = enterFolders(state, one('/w/out'), NEVER)
  await expect(entering).rejects.toThrow(/wrote \/w directly was killed.*cannot be read/)
  expect(notesIn(state)).toHaveLength(2)
})

it('a command in the background keeps others out however long its words are', async () => {
  const state = makeScratch().path
  const background = { handle: 'h1', words: `npm run dev ${'"'.repeat(2_000_000)}` }
  const { leave } = await enterFolders(state, { folders: ['/w/out'], background }, NEVER)
  await expect(enterFolders(state, one('/w'), NEVER)).rejects.toThrow(
    /^npm run dev "+…"+ runs in the background/,
  )
  leave()
})
