import type { AgentContext } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import { SessionTable } from '../../../src/faces/acp/session-table.ts'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import { bench } from '../../bench-folder.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'

it('a session that was closed to be loaded anew is there again if opening it fails', async () => {
  const { root, stateDir } = bench()
  let failsAt = Infinity
  let loads = 0
  const sessions = new SessionTable({
    stateDir,
    root,
    actor: 'ada',
    model: null,
    baseUrl: null,
    protocol: 'auto',
    limits: {},
    preset: null,
    load: async (folder) => {
      loads += 1
      if (loads === failsAt) throw new Error('the file was locked')
      return loadConfiguration({ root: folder, stateDir, env: {}, isPersonal: true })
    },
    tell: () => undefined,
    signal: new AbortController().signal,
  })
  cleanUpWith(() => sessions.close())
  const context = { notify: async () => undefined, request: async () => ({}) } as unknown as AgentContext
  const wanted = { cwd: root, servers: [], needsModel: false }
  const { id } = await sessions.open({ ...wanted, session: null }, context)
  // The first look finds nothing wrong.
  failsAt = loads + 2
  await expect(sessions.open({ ...wanted, session: id }, context)).rejects.toThrow('the file was locked')
  expect(sessions.find(id).id).toBe(id)
  expect(await sessions.find(id).pending()).toEqual([])
  await sessions.open({ ...wanted, session: id }, context)
  expect(sessions.all).toHaveLength(1)
})
