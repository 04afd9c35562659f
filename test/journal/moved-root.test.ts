import { expect, it } from 'vitest'
import { forget } from '../../src/journal/erase/forget.ts'
import { noteMovedRoots, openForRoot } from '../../src/journal/access/moved-root.ts'
import type { FileChange } from '../../src/journal/entries/entry.ts'
import { batchOf, changeOf, content, execution, payloadsOf, recordCall, settledOf } from './sample-entries.ts'
import { makeStateFolder, SESSION } from './state-folder.ts'

const NEW = '/n'

it('what a moved root left unfinished is about the folder as it is now, also for its other sessions', async () => {
  const folder = makeStateFolder()
  await folder.use((log, store) => {
    log.append({
      entries: [batchOf('b', [1]), settledOf('b', 1, [changeOf('a', 'x', 'y')])],
      payloads: payloadsOf('args 1', 'result 1', 'x', 'y'),
      reliance: 'durable',
    })
    noteMovedRoots(store, new Map([[NEW, { recordedAs: SESSION.root, former: [SESSION.root] }]]))
  })
  const store = openForRoot(folder.open(), NEW)
  expect(store.sessions(NEW)).toEqual([{ root: NEW, name: SESSION.name }])
  const [left] = store.unlanded(NEW)
  expect([left?.session.root, left?.changes[0]?.root]).toEqual([NEW, NEW])
  const other = await store.open({ root: NEW, name: 'other' })
  let others: readonly FileChange[] = []
  other.append({
    entries: [batchOf('b2', [2])],
    payloads: payloadsOf('args 2'),
    reliance: 'durable',
    confirm: (changes) => (others = changes),
  })
  expect(others.map(({ root }) => root)).toEqual([NEW])
  const log = await store.open({ root: NEW, name: SESSION.name })
  expect(log.unlanded()[0]?.changes[0]?.root).toBe(NEW)
  expect([...log.edits()].map(({ session }) => session.root)).toEqual([NEW])
  log.landed(execution(1))
  expect(store.unlanded(NEW)).toEqual([])
  store.close()
  expect(folder.verify()).toMatchObject({ ok: true, sessions: 2 })
})

it('contents of its sessions are erased by what was read of them', async () => {
  const folder = makeStateFolder()
  await folder.use((log, store) => {
    recordCall(log, 1)
    noteMovedRoots(store, new Map([[NEW, { recordedAs: SESSION.root, former: [SESSION.root] }]]))
  })
  const store = openForRoot(folder.open(), NEW)
  const selection = { is: 'session', session: { root: NEW, name: SESSION.name } } as const
  expect(await forget(store, selection, { why: 'asked', waitMs: 0 })).toMatchObject({ payloads: 2 })
  expect(store.payload(content('args 1').digest)).toBeNull()
  store.close()
  expect(folder.verify()).toMatchObject({ ok: true })
})
