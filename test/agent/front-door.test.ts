import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRuntime, defineTool, isTurnEvent, openConversation, openModel } from '../../src/index.ts'
import * as agent from '../../src/agent.ts'
import { bench } from '../bench-folder.ts'
import { read } from './talk.ts'

const EVENTS = new Set(['turn', 'text', 'call', 'approval', 'output', 'result', 'recovered', 'done', 'error'])

describe('the library as it is written down', () => {
  it('has the conversation beside the runtime', () => {
    expect(agent).toMatchObject({ openConversation, openModel, isTurnEvent })
    expect([typeof createRuntime, typeof defineTool]).toEqual(['function', 'function'])
  })

  it('IT-E2E-01: opens a model by its name, and sends the events of a turn and no others', async () => {
    const b = bench({ 'a.txt': 'alpha\n' })
    const script = join(b.stateDir, '..', 'talk.json')
    writeFileSync(
      script,
      JSON.stringify({ turns: [{ text: 'Looking.', calls: [read('c1')] }, { text: 'Done.' }] }),
    )
    const runtime = await b.open()
    const conversation = await openConversation({ runtime, model: `script:${script}`, session: 's' })
    const said: string[] = []
    for await (const { event } of conversation.send('go')) said.push(event)
    expect(said).toEqual(['turn', 'text', 'call', 'result', 'text', 'done'])
    const watched: string[] = []
    for await (const { event } of conversation.watch('again')) watched.push(event)
    expect(watched.filter((event) => EVENTS.has(event))).toEqual(said)
    expect(watched).toContain('progress')
  })

  it('does not take a name for another model that is open, and keeps the one it has', async () => {
    const b = bench({})
    const script = join(b.stateDir, '..', 'talk.json')
    writeFileSync(script, JSON.stringify({ turns: [{ text: 'Done.' }] }))
    const model = `script:${script}`
    const conversation = await openConversation({ runtime: await b.open(), model, session: 's' })
    const tryName = (): unknown => Reflect.apply(conversation.setModel, conversation, [model])
    expect(tryName).toThrow(/needs an open model/)
    expect(conversation.model().id).toBe(model)
  })

  it('says which model it does not know', async () => {
    const runtime = await bench({}).open()
    await expect(openConversation({ runtime, model: 'odd', session: 's' })).rejects.toThrow(/is not a model/)
  })
})
