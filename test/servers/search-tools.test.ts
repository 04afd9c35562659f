import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forkSession } from '../../src/agent/sessions/fork-session.ts'
import { rankTools } from '../../src/servers/rank-tools.ts'
import { createSearchTools } from '../../src/servers/search-tools.ts'
import { call } from '../agent/talk.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { roundsOf } from '../harness/long-run.ts'
import { manyTools, namesIn, runTurn } from './many-tools.ts'
import { callIn } from './server-bench.ts'

const SEARCH = 'search_tools'
const seek = (id: string, query: string, more: object = {}) => call(id, SEARCH, { query, ...more })

describe('twenty servers of ten tools', () => {
  it('cost the first request less than two thousand tokens more than none', async () => {
    const { openMany, talk, requests } = manyTools()
    for (const many of [false, true]) {
      const runtime = await openMany({}, many)
      await runTurn(await talk(runtime, [{ text: 'done' }], { session: `s${many}` }), 'go')
    }
    const [without, with20] = requests.map((request) => JSON.stringify(request).length)
    expect(with20).toBeGreaterThan(without ?? 0)
    // At four bytes each; all the definitions are more than a hundred thousand bytes.
    expect((with20 ?? 0) - (without ?? 0)).toBeLessThan(2_000 * 4)
    expect((with20 ?? 0) - (without ?? 0)).toBeLessThan(1_500)
    const all = await (await openMany({ config: { 'mcp.advertise_bytes': 1024 ** 2 } })).advertised()
    expect(JSON.stringify(all).length).toBeGreaterThan(100_000)
  })

  it('are told as one tool that says how many of which servers there are', async () => {
    const { openMany } = manyTools()
    const runtime = await openMany()
    const told = runtime.advertised()
    expect(told.filter(({ name }) => name.includes('__'))).toEqual([])
    const search = told.find(({ name }) => name === SEARCH)
    expect(search?.description).toContain('200 tools of 20 servers (alarms 10, branchs 10')
    expect(search).toMatchObject({ effect: 'read', capabilities: [], idempotent: true, deterministic: true })
    expect(runtime.offered().some(({ name }) => name === SEARCH)).toBe(false)
    expect(runtime.offered().filter(({ name }) => name.includes('__'))).toHaveLength(200)
  })

  it('are all told if they fit the budget, and then there is nothing to search', async () => {
    const { openMany } = manyTools()
    const runtime = await openMany({ config: { 'mcp.advertise_bytes': 1024 ** 2 } })
    expect(runtime.advertised().filter(({ name }) => name.includes('__'))).toHaveLength(200)
    expect(runtime.definitions().some(({ name }) => name === SEARCH)).toBe(false)
    const none = await openMany({}, false)
    expect(none.definitions().some(({ name }) => name === SEARCH)).toBe(false)
  })

  it('follow tools.advertise: what is named is told, and what is not meant cannot be found', async () => {
    const { openMany } = manyTools()
    const toldWith = async (named: readonly string[]): Promise<readonly string[]> =>
      (await openMany({ config: { 'tools.advertise': named } })).advertised().map(({ name }) => name)
    expect(await toldWith(['read_file', 'notes__search_note'])).toEqual(['notes__search_note', 'read_file'])
    expect(await toldWith(['notes__search_note', SEARCH])).toEqual(['notes__search_note', SEARCH])
    const denied = await openMany({ config: { 'tools.approval.denylist': ['notes__search_note'] } })
    const { tools } = outputOf(await callIn(denied, SEARCH, { query: 'search note', limit: 20 }))
    expect(JSON.stringify(tools)).not.toContain('"notes__search_note"')
  })
})

describe('tools that a model has found', () => {
  it('are offered after the others from the next request on, and the requests before them stay the same', async () => {
    const { openMany, talk, requests } = manyTools()
    const turns = [
      { calls: [seek('1', 'search notes', { limit: 2 })] },
      { calls: [seek('2', 'flight', { limit: 1 })] },
      { text: 'done' },
    ]
    await runTurn(await talk(await openMany(), turns), 'go')
    const [first, second, third] = requests
    const base = namesIn(first)
    expect(namesIn(second)).toEqual([...base, 'notes__search_note', expect.stringContaining('__')])
    expect(namesIn(third)).toEqual([...namesIn(second), expect.stringMatching(/^flights__/)])
    expect(JSON.stringify(second?.tools.slice(0, base.length))).toBe(JSON.stringify(first?.tools))
    expect(second?.system).toBe(first?.system)
    expect(JSON.stringify(second?.messages)).toContain('notes__search_note: From the MCP server notes')
  })

  it('are the same in a conversation that goes on in another process, and in a copy of it', async () => {
    const { openMany, talk, requests } = manyTools()
    const runtime = await openMany({ durability: 'full' })
    await runTurn(await talk(runtime, [{ calls: [seek('1', 'flight')] }, { text: 'done' }]), 'go')
    const copy = await forkSession(runtime, 's', { as: 'copy' })
    expect(copy.ok).toBe(true)
    await runtime.close()
    const later = await openMany({ durability: 'full' })
    await runTurn(await talk(later, [{ text: 'more' }]), 'again')
    await runTurn(await talk(later, [{ text: 'more' }], { session: 'copy' }), 'again')
    const [, second, third, fourth] = requests
    expect(namesIn(second).length).toBeGreaterThan(namesIn(requests[0]).length)
    expect(JSON.stringify(third?.tools)).toBe(JSON.stringify(second?.tools))
    expect(JSON.stringify(fourth?.tools)).toBe(JSON.stringify(second?.tools))
  })

  it('are left to the results where calls are fenced, so that the instructions stay the same', async () => {
    const { openMany, talk, requests } = manyTools()
    const block = '```tool-call\n{"id": "1", "name": "search_tools", "args": {"query": "flight"}}\n```'
    const conversation = await talk(await openMany(), [{ text: block }, { text: 'done' }], {
      protocol: 'fenced',
    })
    await runTurn(conversation, 'go')
    const [first, second] = requests
    expect(first?.tools).toEqual([])
    expect(second?.tools).toEqual([])
    expect(second?.system).toBe(first?.system)
    expect(first?.system).toContain('search_tools: Find tools')
    expect(JSON.stringify(second?.messages)).toContain('flights__')
  })

  it('are no longer offered once they are denied', async () => {
    const made = manyTools()
    const runtime = await made.openMany({ durability: 'full' })
    await runTurn(await made.talk(runtime, [{ calls: [seek('1', 'flight')] }, { text: 'done' }]), 'go')
    await runtime.close()
    const found = namesIn(made.requests.at(-1)).filter((name) => name.startsWith('flights__'))
    expect(found).toHaveLength(5)
    const config = { 'tools.approval.denylist': found }
    const later = await made.openMany({ durability: 'full', config })
    await runTurn(await made.talk(later, [{ text: 'more' }]), 'again')
    expect(namesIn(made.requests.at(-1)).filter((name) => name.startsWith('flights__'))).toEqual([])
  })
})

describe('a foreign tool that was never offered', () => {
  it('is called through the same gates all the same', async () => {
    const { openMany } = manyTools()
    const runtime = await openMany({ approve: () => ['deny'] })
    const call1 = await callIn(runtime, 'notes__search_note', { id: 5 }, { origin: 'model' })
    expect(errorOf(call1).code).toBe('bad_args')
    const reached = await callIn(runtime, 'notes__search_note', { id: 'a' }, { origin: 'model' })
    expect(errorOf(reached).message).toContain('The MCP server notes failed')
  })

  it('is told the nearest name and how to search, without the names of all the others', async () => {
    const { openMany } = manyTools()
    const error = errorOf(await callIn(await openMany(), 'notes__serch_note', {}, { origin: 'model' }))
    expect(error).toMatchObject({ code: 'unknown_tool', details: { nearest: 'notes__search_note' } })
    expect(error.content).toContain('Use search_tools to find tools')
    expect(error.content).not.toContain('flights__')
  })

  it('of a server that is not trusted names the command that trusts it', async () => {
    const { open } = manyTools()
    const config = { 'mcp.servers': { fresh: { url: 'http://127.0.0.1:9/mcp' } } }
    const error = errorOf(await callIn(await open({ config }), 'fresh__do', {}))
    expect(error.code).toBe('unknown_tool')
    expect(error.content).toContain('tongs mcp trust fresh')
    expect(errorOf(await callIn(await open({ config }), 'other__do', {})).content).not.toContain('mcp trust')
  })
})

describe('search_tools', () => {
  it('ranks names above descriptions, rare words above common ones, and always in the same order', () => {
    const tool = (name: string, description = '') => ({ name, description })
    const tools = [
      tool('b__list_files', 'Lists what is there.'),
      tool('a__listFiles', 'Lists what is there.'),
      tool('c__read', 'Reads one of the files.'),
      tool('a__diary', 'Notes about the weather.'),
      tool('d__weather', 'Says whether it rains; lists nothing.'),
    ]
    const names = (query: string): readonly string[] => rankTools(tools, query).map(({ name }) => name)
    expect(names('list files')).toEqual(['a__listFiles', 'b__list_files', 'c__read', 'd__weather'])
    expect(names('FILE')).toEqual(['a__listFiles', 'b__list_files', 'c__read'])
    expect(names('lists rains')[0]).toBe('d__weather')
    expect(names('weather')).toEqual(['d__weather', 'a__diary'])
    expect(names('nothing of it')).toEqual(['d__weather', 'c__read'])
    expect(names('???')).toEqual([])
  })

  it('answers names, one line about each and their arguments, at most as many as were asked for', async () => {
    const { openMany } = manyTools()
    const runtime = await openMany()
    const result = await callIn(runtime, SEARCH, { query: 'create invoice', limit: 3 }, { origin: 'model' })
    expect(outputOf(result)).toMatchObject({
      tools: [
        { name: 'invoices__create_invoice', input_schema: { type: 'object', required: ['id'] } },
        {},
        {},
      ],
      searched: 200,
    })
    expect(result.content).toMatch(/\d+ more match: use more precise words/)
    expect(result.content.split('\n')).toHaveLength(7)
    const none = await callIn(runtime, SEARCH, { query: 'zzz' })
    expect(none.content).toContain('None of 200 tools matches')
  })

  it('is asked about by nobody, answers the same twice, and is limited like every result', async () => {
    const { openMany } = manyTools()
    const asked: unknown[] = []
    const runtime = await openMany({
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'deny' as const)
      },
    })
    const once = outputOf(await callIn(runtime, SEARCH, { query: 'note', limit: 20 }))
    expect(outputOf(await callIn(runtime, SEARCH, { query: 'note', limit: 20 }))).toEqual(once)
    expect(asked).toEqual([])
    const small = await callIn(runtime, SEARCH, { query: 'note', limit: 20 }, { capacityBytes: 1_000 })
    expect(small.content.length).toBeLessThanOrEqual(1_000)
    expect(outputOf(small)).toMatchObject({ searched: 200 })
    for (const args of [{}, { query: '' }, { query: 'a', limit: 0 }, { query: 'a', limit: 21 }, { query: 5 }])
      expect(errorOf(await callIn(runtime, SEARCH, args)).code).toBe('bad_args')
  })

  it('writes its summary from the arguments alone', () => {
    const tool = createSearchTools([])
    expect(tool.summary({ query: 'a "b"' })).toBe(String.raw`Search tools for "a \"b\""`)
    expect(tool.claims({ query: '../../etc' })).toEqual([])
  })

  it('takes any arguments and any catalog: a result that fits, of tools that exist, or an error that says what is wrong', async () => {
    const word = fc.string({ unit: 'binary', maxLength: 600 })
    const found = { name: word, description: word, inputSchema: fc.constant({ type: 'object' }) }
    const args = fc.oneof(
      fc.record({ query: word, limit: fc.integer({ min: -1, max: 22 }) }, { requiredKeys: ['query'] }),
      fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue()),
    )
    await fc.assert(
      fc.asyncProperty(args, fc.array(fc.record(found), { maxLength: 30 }), async (given, catalog) => {
        const runtime = await bench({}).open({ tools: [createSearchTools(catalog)] })
        const result = await callIn(runtime, SEARCH, given, { capacityBytes: 4_000 })
        await runtime.close()
        expect(result.content.length).toBeLessThanOrEqual(4_000)
        if (!result.ok) {
          expect(errorOf(result).code).toBe('bad_args')
          return
        }
        const { tools } = outputOf(result) as { readonly tools: readonly { readonly name: string }[] }
        const names = new Set(catalog.map(({ name }) => name))
        expect(tools.filter(({ name }) => !names.has(name))).toEqual([])
      }),
      { numRuns: roundsOf(15, 400) },
    )
  })
})
