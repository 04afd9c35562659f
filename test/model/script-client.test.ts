import { describe, expect, it } from 'vitest'
import type { ModelDelta, ModelMessage } from '../../src/model/model-client.ts'
import { openModel } from '../../src/model/open-model.ts'
import { makeScratch } from '../harness/scratch.ts'

const SCRIPT = {
  turns: [
    { text: 'Looking.', calls: [{ id: 'c1', name: 'read_file', args: { path: 'a.txt' } }] },
    {
      calls: [
        { id: 'c2', name: 'glob', args: [1] },
        { id: 'c2', name: 'glob' },
      ],
    },
    { text: 'Done.' },
  ],
}

const open = (script: string) => openModel(`script:${makeScratch().file('s.json', script)}`, { env: {} })

async function hear(script: string, messages: readonly ModelMessage[]): Promise<readonly ModelDelta[]> {
  const client = await open(script)
  const deltas: ModelDelta[] = []
  for await (const delta of client.stream({ system: '', messages, tools: [] }, new AbortController().signal))
    deltas.push(delta)
  return deltas
}

const said = (count: number): readonly ModelMessage[] =>
  Array.from({ length: count }, (): readonly ModelMessage[] => [
    { role: 'user', text: 'Go' },
    { role: 'user', text: 'Now' },
    { role: 'assistant', parts: [] },
    { role: 'tool', results: [] },
  ]).flat()

const withoutUsage = (deltas: readonly ModelDelta[]) => deltas.filter(({ type }) => type !== 'usage')

describe('a scripted model', () => {
  it('SRD/A-02: gives its text and its calls as the same start and delta events', async () => {
    expect(withoutUsage(await hear(JSON.stringify(SCRIPT), said(0)))).toEqual([
      { type: 'text', text: 'Looking.' },
      { type: 'call_start', id: 'c1', name: 'read_file' },
      { type: 'call_delta', id: 'c1', text: '{"path":"a.txt"}' },
      { type: 'call_end', id: 'c1', argsText: '{"path":"a.txt"}' },
      { type: 'end', reason: 'calls' },
    ])
  })

  it('goes on after what the conversation already has, however often it was opened', async () => {
    const script = JSON.stringify(SCRIPT)
    const ends = (await hear(script, said(1))).filter(({ type }) => type === 'call_end')
    expect(ends).toEqual([
      { type: 'call_end', id: 'c2', argsText: '[1]' },
      { type: 'call_end', id: 'c2', argsText: '{}' },
    ])
    expect(withoutUsage(await hear(script, said(2)))).toEqual([
      { type: 'text', text: 'Done.' },
      { type: 'end', reason: 'stop' },
    ])
  })

  it('has nothing more to say after its last entry', async () => {
    for (const count of [3, 9])
      expect(withoutUsage(await hear(JSON.stringify(SCRIPT), said(count)))).toEqual([
        { type: 'end', reason: 'stop' },
      ])
  })

  it('begins again with the next message of a person once it was played to its end', async () => {
    const script = JSON.stringify({ turns: [{ text: 'One.' }, { text: 'Two.' }] })
    const spoken = (...texts: readonly string[]): readonly ModelMessage[] => [
      ...texts.flatMap((text): readonly ModelMessage[] => [
        { role: 'user', text: 'Go' },
        { role: 'assistant', parts: [{ type: 'text', text }] },
      ]),
      { role: 'user', text: 'Go' },
    ]
    const first = async (...texts: readonly string[]) => (await hear(script, spoken(...texts)))[0]
    expect(await first('One.')).toEqual({ type: 'text', text: 'Two.' })
    expect(await first('One.', 'Two.')).toEqual({ type: 'text', text: 'One.' })
    expect(await first('One.', 'Two.', 'One.')).toEqual({ type: 'text', text: 'Two.' })
    // What another script said before does not count.
    expect(await first('Hello.', 'Bye.', 'So.')).toEqual({ type: 'text', text: 'One.' })
    expect(await first('Hello.', 'Bye.', 'So.', 'One.')).toEqual({ type: 'text', text: 'Two.' })
    const called: ModelMessage = {
      role: 'assistant',
      parts: [{ type: 'call', id: 'w', name: 'write_file', argsText: '{}' }],
    }
    expect((await hear(script, [called, { role: 'tool', results: [] }]))[0]).toEqual({
      type: 'text',
      text: 'One.',
    })
    // A message that was interrupted is not said a second time.
    expect(await first('On')).toEqual({ type: 'text', text: 'Two.' })
  })

  it('spends more on a longer conversation', async () => {
    const inputs = await Promise.all(
      [0, 2].map(async (count) => (await hear(JSON.stringify(SCRIPT), said(count))).at(-2)),
    )
    const [short, long] = inputs.map((delta) => (delta?.type === 'usage' ? delta.input : 0))
    expect(short).toBeGreaterThan(0)
    expect(long).toBeGreaterThan(short ?? 0)
  })

  it('stops where the signal says so', async () => {
    const client = await open(JSON.stringify(SCRIPT))
    const stop = new AbortController()
    const reason = new Error('enough')
    const heard: string[] = []
    const listen = async (): Promise<void> => {
      for await (const { type } of client.stream({ system: '', messages: [], tools: [] }, stop.signal)) {
        heard.push(type)
        stop.abort(reason)
      }
    }
    await expect(listen()).rejects.toBe(reason)
    expect(heard).toEqual(['text'])
  })

  it.each([
    ['', /not a JSON object/],
    ['[1]', /not a JSON object/],
    ['{"turns":{}}', /turns is not a list/],
    ['{"turns":[{"text":"a"},7]}', /turn 2 is not an object/],
    ['{"turns":[{"call":[]}]}', /turn 1 has neither text nor calls/],
    ['{"turns":[{"text":7}]}', /text of turn 1/],
    ['{"turns":[{"calls":{}}]}', /calls of turn 1/],
    ['{"turns":[{"calls":[null]}]}', /call 1 of turn 1 is not an object/],
    ['{"turns":[{"calls":[{"name":"x"}]}]}', /call 1 of turn 1 has no string id/],
    ['{"turns":[{"calls":[{"id":"a"}]}]}', /call 1 of turn 1 has no string name/],
  ])('is refused where the file says %s', async (script, why) => {
    await expect(open(script)).rejects.toMatchObject({
      name: 'ModelError',
      code: 'bad_request',
      message: expect.stringMatching(why) as string,
    })
  })
})
