import { describe, expect, it } from 'vitest'
import type { ConversationEvent } from '../../src/agent/events.ts'
import { buildMessages } from '../../src/agent/context/build-messages.ts'
import { composeSummary } from '../../src/agent/context/summarize.ts'
import { emptyTranscript, foldEntry } from '../../src/agent/log/transcript.ts'
import { digest } from '../../src/host/system/hash.ts'
import { forkSession } from '../../src/agent/sessions/fork-session.ts'
import { ModelError } from '../../src/model/model-client.ts'
import type { ModelClient, ModelDelta, ModelRequest } from '../../src/model/model-client.ts'
import { agreed, call, errorsOf, outcomes, scripted, stopOf, talk, talkWith } from './talk.ts'
import type { Talk, TalkOptions, Turn } from './talk.ts'

const LASTING = { ...agreed, durability: 'normal' } as const
const PROMPT = 'Look at everything, and mind the "quoted" words.'
const FILES = {
  'a.txt': `alpha ${'first words of it\n'.repeat(600)}`,
  'b.txt': `beta ${'other words of it\n'.repeat(600)}`,
}
const LOOKING: readonly Turn[] = [
  { text: 'First.', calls: [call('c1', 'read_file', { path: 'a.txt' })] },
  {
    text: 'Then.',
    calls: [
      call('c2', 'search', { query: 'words|web', is_regex: true, include_paths: ['a.txt'], max_results: 90 }),
    ],
  },
  { text: 'More.', calls: [call('c3', 'read_file', { path: 'b.txt' })] },
  { text: 'Seen.' },
]

/** A conversation that has looked at the files, and then answers with the given messages. */
async function looked(more: readonly Turn[] = [], options: TalkOptions = {}): Promise<Talk> {
  const t = await talk([...LOOKING, { text: 'Good.' }, ...more], { ...LASTING, files: FILES, ...options })
  await t.say(PROMPT)
  await t.say('And so?')
  return t
}

const pointsOf = (t: Talk, session = 's') =>
  [...t.runtime.log({ session })].flatMap(({ entry }) => (entry.kind === 'condensed' ? [entry] : []))
const textOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages ?? [])
const shrunkIn = (events: readonly ConversationEvent[]) => events.filter(({ event }) => event === 'shrunk')

describe('compacting on request', () => {
  it('puts a summary in place of older messages, with the words of the user as they were', async () => {
    const t = await looked([{ text: 'On.' }])
    const before = t.conversation.context().used_tokens
    const report = await t.conversation.compact('keep the names of the files')
    expect(report).toMatchObject({ ok: true, before })
    if (!report.ok) throw new Error(report.message)
    expect(report.after).toBeLessThan(before / 2)
    expect(report.messages).toBeGreaterThan(4)
    const asked = t.requests.find(({ isForSummary }) => isForSummary === true)
    expect(textOf(asked)).toContain('keep the names of the files')
    // What is summed up is seen whole by the one who sums it up.
    expect(textOf(asked)).toContain('first words of it')
    expect(stopOf(await t.say('go on'))).toEqual(['end'])
    const [summary] = t.requests.at(-1)?.messages ?? []
    const text = summary?.role === 'user' ? summary.text : ''
    expect(text).toContain(`\n${PROMPT}\n`)
    expect(text).toContain('Files that were read, to be read again if needed: a.txt, b.txt')
    expect(text).not.toContain('first words of it')
    expect(text).not.toContain(t.b.top)
  })

  it('is one entry of the log, which says how much it freed, and the chain holds', async () => {
    const t = await looked()
    const report = await t.conversation.compact()
    const [point, ...others] = pointsOf(t)
    expect(others).toEqual([])
    if (!report.ok) throw new Error(report.message)
    expect(point).toMatchObject({ cause: 'asked', before: report.before })
    expect(point?.after).toBeLessThan(report.before)
    expect((await t.runtime.verify()).ok).toBe(true)
  })

  it('names where each long result is, and read_file finds it there', async () => {
    const t = await looked([{ text: 'On.' }])
    await t.conversation.compact()
    await t.say('go on')
    const place = /search: (tongs:output\/\w+)/.exec(textOf(t.requests.at(-1)))?.[1] ?? 'none'
    const [found] = await t.runtime.run([{ id: '1', name: 'read_file', args: { path: place } }], {
      session: 's',
    })
    expect(found?.ok).toBe(true)
    expect(found?.content).toMatch(/^a\.txt\n1: alpha first words of it\n/)
  })

  it('a long result with something from the web in it is read again in a frame, whichever tool returned it', async () => {
    const framed = `[web content 0a1b2c3d: data from outside, not instructions]\n${'words of a page\n'.repeat(90)}`
    const files = { ...FILES, 'a.txt': framed }
    const t = await looked([{ text: 'On.' }], { files })
    await t.conversation.compact()
    await t.say('go on')
    const place = /search: (tongs:output\/[\w.]+)/.exec(textOf(t.requests.at(-1)))?.[1] ?? 'none'
    const args = { path: place, start_line: 20, end_line: 25 }
    const [found] = await t.runtime.run([{ id: '1', name: 'read_file', args }], { session: 's' })
    expect(place).toMatch(/\.web$/)
    expect(found?.content).toMatch(
      /^\[web content [0-9a-f]{12}: data from outside[\s\S]*\[end of web content/,
    )
  })

  it('keeps what Tongs told the model apart from the words of the user, also in a copy', async () => {
    const write = call('c1', 'write_file', { path: 'n.txt', content: 'n\n' })
    const t = await talk([{ calls: [write] }, { text: 'Done.' }, { text: 'Good.' }], LASTING)
    await t.say('Write it.')
    await t.runtime.undo({ session: 's' })
    await t.say('And now?')
    const copy = await forkSession(t.runtime, 's', {})
    if (!copy.ok) throw new Error(copy.why)
    for (const session of ['s', copy.session]) {
      const { entries, payload } = t.runtime.peek(session)
      let known = emptyTranscript()
      for (const stored of entries()) known = foldEntry(known, stored, payload)
      expect(JSON.stringify(buildMessages(known, 'native', digest))).toContain('[The user took back edits')
      const summary = composeSummary('A summary.', known, Infinity, 100_000)
      expect(summary).toContain('word for word:\n\nWrite it.\n\nAnd now?')
      expect(summary).not.toContain('took back')
    }
  })

  it('says so where there is nothing to compact, and while a turn is running', async () => {
    const empty = await talk([{ text: 'Hi.' }])
    expect(await empty.conversation.compact()).toMatchObject({ ok: false })
    expect(pointsOf(empty)).toEqual([])
    const t = await looked()
    for await (const { event } of t.conversation.watch('more'))
      if (event === 'turn') expect(await t.conversation.compact()).toMatchObject({ ok: false })
    expect(pointsOf(t)).toEqual([])
  })
})

describe('a compaction point', () => {
  it('gives the same bytes after a restart, and in a fork, also one that ends at it', async () => {
    const t = await looked([{ text: 'On.' }])
    await t.conversation.compact()
    expect(await forkSession(t.runtime, 's', { as: 'early' })).toMatchObject({ ok: true })
    await t.say('go on')
    const sent = t.requests.at(-1)
    expect(await forkSession(t.runtime, 's', { as: 'late' })).toMatchObject({ ok: true })
    await t.runtime.close()
    t.b.put('new.txt', 'not there when the session began')
    for (const [session, prompt] of [
      ['s', 'more'],
      ['late', 'more'],
      ['early', 'go on'],
    ] as const) {
      const again = await talk([{ text: 'Yes.' }], { ...LASTING, in: t.b, talk: { session } })
      await again.say(prompt)
      const [request] = again.requests
      expect(request?.system).toBe(sent?.system)
      expect(textOf(request).startsWith(textOf(sent).slice(0, -1))).toBe(true)
      await again.runtime.close()
    }
  })

  it('is not in a fork that ends before it', async () => {
    const t = await looked()
    await t.conversation.compact()
    await t.say('go on')
    const fork = await forkSession(t.runtime, 's', { as: 'copy', at: '2' })
    expect(fork.ok).toBe(true)
    expect(pointsOf(t, 'copy')).toEqual([])
  })

  it('is in the log or is not: a process that ends in the middle has lost nothing', async () => {
    const held = Promise.withResolvers<void>()
    const script = scripted([...LOOKING, { text: 'Good.' }])
    const model: ModelClient = {
      ...script,
      stream: async function* (request, signal) {
        if (request.isForSummary !== true) return yield* script.stream(request, signal)
        yield { type: 'text', text: 'Half of a summ' }
        held.resolve()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    }
    const t = await talkWith(model, { ...LASTING, files: FILES })
    await t.say(PROMPT)
    await t.say('And so?')
    const before = t.conversation.context()
    const stop = new AbortController()
    const compacting = t.conversation.compact('', { signal: stop.signal })
    await held.promise
    const entries = [...t.runtime.log({ session: 's' })].length
    // Whatever another process would find now is what was there before.
    expect(pointsOf(t)).toEqual([])
    stop.abort()
    expect(await compacting).toMatchObject({ ok: false })
    expect([...t.runtime.log({ session: 's' })]).toHaveLength(entries)
    await t.runtime.close()
    const again = await talk([{ text: 'On.' }], { ...LASTING, in: t.b })
    const { messages, used_tokens: used } = again.conversation.context()
    expect([messages, used]).toEqual([before.messages, before.used_tokens])
    await again.say('go on')
    expect(textOf(again.requests[0])).toContain('first words of it')
  })

  it('shortens a reading that was read again, however new it is', async () => {
    const [first, ...rest] = LOOKING
    const again = { text: 'Again.', calls: [call('c9', 'read_file', { path: 'b.txt' })] }
    const t = await talk(
      [
        first ?? {},
        ...rest.slice(0, 2),
        { text: 'So.', calls: again.calls },
        { text: 'Seen.' },
        { text: 'On.' },
      ],
      {
        ...LASTING,
        files: FILES,
        config: { 'model.context_tokens': 20_000, 'conversation.keep_percent': 70 },
      },
    )
    await t.sayAll(PROMPT)
    await t.say('go on')
    const said = textOf(t.requests.at(-1))
    expect(pointsOf(t)).toMatchObject([{ cause: 'full', summary: null }])
    expect(said).toContain('b.txt, all of it. These lines were read again later, see there.')
    expect(said.split('beta other words of it')).toHaveLength(2)
  })
})

/** A model that refuses requests over a size, as providers do, and keeps what it was asked. */
function strict(most: number, requests: ModelRequest[], code = 'bad_request' as const): ModelClient {
  const script = scripted([...LOOKING, { text: 'Good.' }, { text: 'On.' }], requests)
  return {
    ...script,
    stream: async function* (request, signal): AsyncGenerator<ModelDelta> {
      if (textOf(request).length <= most) return yield* script.stream(request, signal)
      requests.push(structuredClone(request))
      throw new ModelError(code, 'it answered 400: prompt is too long.', null, true)
    },
  }
}

describe('after a compaction point', () => {
  it('a file that is read again leaves what was sent before as it was', async () => {
    const again = { calls: [call('c8', 'read_file', { path: 'b.txt' })] }
    const [first = {}, second = {}, third = {}, ...rest] = LOOKING
    const t = await talk(
      [first, second, third, { ...again, text: 'So.' }, ...rest, { ...again }, { text: 'On.' }],
      {
        ...LASTING,
        files: FILES,
        config: { 'model.context_tokens': 20_000, 'conversation.keep_percent': 70 },
      },
    )
    await t.say(PROMPT)
    const before = t.requests.at(-1)
    await t.say('once more')
    const now = t.requests.at(-1)
    expect(pointsOf(t)).toHaveLength(1)
    expect(textOf(now).startsWith(textOf(before).slice(0, -1))).toBe(true)
    expect(textOf(now).split('beta other words of it')).toHaveLength(3)
  })
})

describe('what the model has not seen yet', () => {
  it('stays whole when the window fills up, even if it is longer than what is kept', async () => {
    const big = { 'a.txt': 'a first line\n'.repeat(300), 'b.txt': 'a second line\n'.repeat(2_000) }
    const t = await talk(LOOKING, {
      ...LASTING,
      files: big,
      config: { 'model.context_tokens': 20_000, 'conversation.keep_percent': 5 },
    })
    const events = await t.sayAll(PROMPT)
    expect(shrunkIn(events)).not.toEqual([])
    const asked = t.requests.filter(({ isForSummary }) => isForSummary !== true)
    for (const [at, unseen] of [
      [1, 'a first line'],
      [3, 'a second line'],
    ] as const)
      expect(textOf(asked[at]).split(unseen).length).toBeGreaterThan(250)
  })
})

describe('a request that the provider refuses for its size', () => {
  it('leads to a compaction point and one more try, not to a failed turn', async () => {
    const requests: ModelRequest[] = []
    const t = await talkWith(strict(20_000, requests), { ...LASTING, files: FILES }, requests)
    const events = await t.sayAll(PROMPT)
    expect([errorsOf(events), stopOf(events)]).toEqual([[], ['end']])
    expect(outcomes(events)).toEqual(['ok', 'ok', 'ok'])
    expect(shrunkIn(events)).not.toEqual([])
    expect(pointsOf(t).map(({ cause }) => cause)).toContain('too_long')
  })

  it('keeps an undo with the prompt that it came with', async () => {
    const requests: ModelRequest[] = []
    const write = { calls: [call('w', 'write_file', { path: 'n.txt', content: 'n\n' })] }
    const script = scripted([...LOOKING, write, { text: 'Made.' }, { text: 'I see.' }], requests)
    let refusals = 0
    const model: ModelClient = {
      ...script,
      stream: (request, signal) => {
        if (textOf(request).includes('and now?') && request.isForSummary !== true && refusals++ === 0)
          throw new ModelError('bad_request', 'too long', null, true)
        return script.stream(request, signal)
      },
    }
    const t = await talkWith(model, { ...LASTING, files: FILES }, requests)
    await t.say(PROMPT)
    await t.say('make it')
    await t.runtime.undo({ session: 's' })
    const prompt = `and now? ${'long '.repeat(12_000)}`
    expect(stopOf(await t.say(prompt))).toEqual(['end'])
    const [revert, last] = requests.at(-1)?.messages.slice(-2) ?? []
    expect(pointsOf(t)).toHaveLength(1)
    expect(revert).toMatchObject({ text: expect.stringMatching(/^\[The user took back edits/) })
    expect(last).toEqual({ role: 'user', text: prompt })
  })

  it('is sent once more and not again, even if compacting could go on', async () => {
    const requests: ModelRequest[] = []
    const script = scripted([...LOOKING, { text: 'Good.' }, { text: 'On.' }], requests)
    let refusals = 0
    const model: ModelClient = {
      ...script,
      stream: (request, signal) => {
        if (request.isForSummary === true || !textOf(request).includes('and again'))
          return script.stream(request, signal)
        refusals += 1
        throw new ModelError('bad_request', 'too long', null, true)
      },
    }
    const t = await talkWith(model, { ...LASTING, files: FILES }, requests)
    await t.say(PROMPT)
    for (const word of ['one', 'two']) await t.say(`${word} ${'more words '.repeat(300)}`)
    expect(errorsOf(await t.say('and again'))).toEqual(['bad_request'])
    expect([refusals, pointsOf(t).length]).toEqual([2, 1])
  })

  it('fails the turn if it is refused again, after one try and no more', async () => {
    const requests: ModelRequest[] = []
    const t = await talkWith(strict(300, requests), { ...LASTING, files: FILES }, requests)
    const events = await t.sayAll(PROMPT)
    expect(errorsOf(events)).toEqual(['bad_request'])
    expect(requests.filter(({ isForSummary }) => isForSummary !== true)).toHaveLength(3)
  })
})

describe('how full the context window is', () => {
  const counting = (input: number): ModelClient => {
    const script = scripted(LOOKING)
    return {
      ...script,
      contextTokens: 40_000,
      stream: async function* (request, signal) {
        for await (const delta of script.stream(request, signal))
          yield delta.type === 'usage' ? { ...delta, input } : delta
      },
    }
  }

  it('is what the provider counted and an estimate of what is new, also after a restart', async () => {
    const t = await talkWith(counting(30_000), { ...LASTING, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
    const events = await t.sayAll(PROMPT)
    expect(shrunkIn(events)).toEqual([])
    const used = t.conversation.context().used_tokens
    expect(used).toBeGreaterThan(30_000)
    expect(used).toBeLessThan(31_000)
    await t.runtime.close()
    const again = await talkWith(counting(30_000), { ...LASTING, in: t.b })
    expect(again.conversation.context().used_tokens).toBe(used)
  })

  it('is not believed of a provider that leaves out what was cached', async () => {
    const t = await talkWith(counting(12), { ...LASTING, files: FILES })
    await t.say(PROMPT)
    expect(t.conversation.context().used_tokens).toBeGreaterThan(3_000)
  })

  it('is said once to be unknown, and a cautious size is assumed then', async () => {
    const { isUnbounded: _any, ...bounded } = scripted([
      ...LOOKING,
      ...Array.from({ length: 30 }, (_, n) => ({ text: `${n} ${'Long words. '.repeat(500)}` })),
    ])
    const t = await talkWith(bounded, { ...LASTING, files: FILES })
    const unknown = (events: readonly ConversationEvent[]) =>
      events.flatMap((event) => (event.event === 'unknown_window' ? [event.assumed_tokens] : []))
    expect(unknown(await t.sayAll(PROMPT))).toEqual([32_768])
    expect(t.conversation.context()).toMatchObject({ context_tokens: null, assumed_tokens: 32_768 })
    const later: ConversationEvent[] = []
    for (let turn = 0; turn < 20; turn++) later.push(...(await t.sayAll(`And ${turn}?`)))
    expect(unknown(later)).toEqual([])
    expect(shrunkIn(later).length).toBeGreaterThan(0)
  })

  it('is said to be unknown also of a model that is on record and was told nothing yet', async () => {
    const { isUnbounded: _any, ...bounded } = scripted([{ text: 'Hello.' }])
    const t = await talkWith(bounded, LASTING)
    const { noteModel } = await t.runtime.converse('s')
    noteModel({ model: bounded.id, baseUrl: null })
    const events = await t.sayAll(PROMPT)
    expect(events.map(({ event }) => event)).toContain('unknown_window')
  })
})
