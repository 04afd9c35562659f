import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import type { ConversationEvent } from '../../../../src/agent/events.ts'
import { readAbilities } from '../../../../src/faces/acp/editor-client.ts'
import { TurnReport } from '../../../../src/faces/acp/turns/turn-report.ts'

const never = (): never => {
  throw new Error('not needed here')
}

/** What a client is told of these events. */
async function reportOf(events: readonly ConversationEvent[]) {
  const updates: SessionUpdate[] = []
  const notices: string[] = []
  const report = new TurnReport({
    client: {
      can: readAbilities(undefined),
      connection: 'c',
      update: async (update) => void updates.push(update),
      notice: async (_severity, text) => void notices.push(text),
      notify: async () => undefined,
      askPermission: never,
      readFile: never,
      writeFile: never,
      request: never,
    },
    source: never,
    facts: () => ({ effectOf: () => 'read', toAbsolute: (path) => `/w/${path}` }),
    afterResult: never,
  })
  for (const event of events) await report.onEvent(event)
  return { updates, notices }
}

const read = (execution: string) => {
  const delegate = { id: 'd', execution }
  return {
    call: { event: 'call', id: 'c', name: 'read_file', args: { path: `${execution}.txt` }, delegate },
    progress: {
      event: 'progress',
      id: 'c',
      name: 'read_file',
      execution: `of ${execution}`,
      state: 'EXECUTING',
      delegate,
    },
    output: { event: 'output', id: 'c', stream: 'stdout', chunk: `for ${execution}`, delegate },
  } as const
}

describe('the report of a turn', () => {
  it('tells calls of several conversations apart that have the same id', async () => {
    const [one, two] = [read('one'), read('two')]
    const { updates } = await reportOf([one.call, two.call, two.progress, one.progress, two.output])
    expect(updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call')).toMatchObject([
      { toolCallId: 'of two', title: '↳ read_file two.txt', rawInput: { path: 'two.txt' } },
      { toolCallId: 'of one', title: '↳ read_file one.txt', rawInput: { path: 'one.txt' } },
    ])
    expect(updates.at(-1)).toMatchObject({
      toolCallId: 'of two',
      content: [{ content: { text: 'for two' } }],
    })
  })

  it.for([
    [1, 'Going on after an interruption: 1 call, 0 in doubt.'],
    [2, 'Going on after an interruption: 2 calls, 0 in doubt.'],
  ] as const)('counts %i calls as people do', async ([calls, says]) => {
    const { notices } = await reportOf([{ event: 'recovered', calls, in_doubt: 0 }])
    expect(notices).toEqual([says])
  })
})
