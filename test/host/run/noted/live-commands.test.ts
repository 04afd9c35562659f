import { expect, it } from 'vitest'
import { dropLive, listLive, noteLive } from '../../../../src/host/run/noted/live-commands.ts'
import { makeScratch } from '../../../harness/scratch.ts'

it('a command in the background is listed however long its words are, by their beginning and end', () => {
  const state = makeScratch().path
  const command = `sleep 20 ${'\u0001'.repeat(200_000)} end`
  const row = { execution: 'one', session: 's'.repeat(200), root: `/${'r'.repeat(4_000)}`, startedAt: 1 }
  noteLive(state, { ...row, command })
  const [live, ...others] = listLive(state)
  expect(others).toEqual([])
  expect(live).toMatchObject(row)
  expect(live?.command).toMatch(/^sleep 20 .*….* end$/)
  dropLive(state, 'one')
  expect(listLive(state)).toEqual([])
})
