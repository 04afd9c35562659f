import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../../../src/core/json/value.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import {
  codeOf,
  connectHttp,
  connectStreams,
  listen,
  openServed,
  resultOf,
  REVISIONS,
  textOf,
} from './open-client.ts'
import type { Ask, Connected, Revision, Served } from './open-client.ts'

const WAYS = ['streams', 'loopback'] as const
const EVERY = WAYS.flatMap((way) => REVISIONS.map((revision) => [way, revision] as const))

async function connect(
  way: (typeof WAYS)[number],
  served: Served,
  revision: Revision,
  ask: Ask = null,
): Promise<Connected> {
  return way === 'streams'
    ? connectStreams(served, revision, ask)
    : connectHttp(await listen(served), revision, ask)
}

const WRITE = { path: 'a.txt', content: 'one\n' }

/** Answers every form with the answer that begins so, and keeps the forms. */
function answering(begin: string, more: Record<string, string> = {}): { ask: Ask; forms: JsonObject[] } {
  const forms: JsonObject[] = []
  return {
    forms,
    ask: (form) => {
      forms.push(form)
      const schema = form['requestedSchema']
      const properties = isJsonObject(schema) ? schema['properties'] : null
      const field = isJsonObject(properties) ? properties['answer'] : null
      const words = isJsonObject(field) && Array.isArray(field['enum']) ? field['enum'].map(String) : []
      const answer = words.find((word) => word.startsWith(begin)) ?? begin
      return { action: 'accept', content: { answer, ...more } }
    },
  }
}

describe.each(EVERY)('MCP over %s in revision %s', (way, revision) => {
  it('lists every tool with its schemas, and hints that say what the tool declares', async () => {
    const served = await openServed()
    const { client } = await connect(way, served, revision)
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(served.runtime.offered().map(({ name }) => name))
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema.type).toBe('object')
      expect(outputSchema?.['type']).toBe('object')
    }
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    expect(hints['read_file']).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
      openWorldHint: false,
    })
    expect(hints['write_file']).toMatchObject({ readOnlyHint: false })
    expect(hints['run_shell']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  })

  it('no tool approves, undoes or configures', async () => {
    const { client } = await connect(way, await openServed(), revision)
    const { tools } = await client.listTools()
    expect(tools.filter(({ name }) => /approve|deny|undo|redo|config|trust|forget|grant/.test(name))).toEqual(
      [],
    )
  })

  it('a read has text and structured content, and is on record in a session of its own', async () => {
    const served = await openServed()
    writeFileSync(join(served.root, 'a.txt'), 'one\ntwo\n')
    const { call } = await connect(way, served, revision)
    const result = await call('read_file', { path: 'a.txt' })
    expect(textOf(result)).toBe('one\ntwo\n')
    expect(result.structuredContent).toMatchObject({ content: 'one\ntwo\n', total_lines: 2 })
    expect(served.runtime.sessions().map(({ name }) => name)).toEqual([expect.stringMatching(/^mcp-/)])
    const events = [...served.runtime.audit()].map(({ toolId }) => toolId)
    expect(events).toContain('read_file')
  })

  it('an error is one for the client, with its code, and changes nothing', async () => {
    const served = await openServed()
    const { call } = await connect(way, served, revision)
    const result = await call('read_file', { path: '../secret' })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(codeOf(result)).toBe('path_outside_sandbox')
  })

  it('arguments are taken exactly as they are', async () => {
    const served = await openServed({ config: { 'tools.arguments': 'exact' } })
    writeFileSync(join(served.root, 'a.txt'), 'one\n')
    const { call } = await connect(way, served, revision)
    expect(codeOf(await call('read_file', { path: 'a.txt', start_line: '1' }))).toBe('bad_args')
    expect(codeOf(await call('read_file', { file_path: 'a.txt' }))).toBe('bad_args')
  })

  it('a call that needs approval is asked about with its diff, and runs once it is answered', async () => {
    const served = await openServed()
    const { ask, forms } = answering('yes, this once')
    const { call } = await connect(way, served, revision, ask)
    const result = await call('write_file', WRITE)
    expect(codeOf(result)).toBe('ok')
    expect(readFileSync(join(served.root, 'a.txt'), 'utf8')).toBe('one\n')
    expect(forms.length).toBe(1)
    expect(forms[0]?.['message']).toContain('+one')
  })

  it('an answer to a form whose question is closed begins no call, and is told what came of it', async () => {
    const served = await openServed()
    const { runtime, root } = served
    const [asked, answered] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()]
    const no = answering('no')
    const late = await connect(way, served, revision, async (form) => {
      asked.resolve(null)
      await answered.promise
      return await (no.ask ?? expect.unreachable())(form)
    })
    const result = late.call('write_file', WRITE)
    await asked.promise
    const [question] = await runtime.pending()
    const [offered] = question?.scopes ?? []
    if (question === undefined || offered === undefined) throw new Error('nothing was asked')
    await runtime.decide([question.id], { isApproved: true, scope: offered.scope })
    // The same call of the same client has had the result, so nothing is left to be handed out.
    if (revision === '2026-07-28') await late.call('write_file', WRITE)
    rmSync(join(root, 'a.txt'))
    answered.resolve(null)
    expect(codeOf(await result)).toBe('ok')
    expect(existsSync(join(root, 'a.txt'))).toBe(false)
  })

  it('a no reaches the model with its words, and nothing happens', async () => {
    const served = await openServed()
    const { call } = await connect(way, served, revision, answering('no', { say: 'not today' }).ask)
    const result = await call('write_file', WRITE)
    expect(codeOf(result)).toBe('approval_denied')
    expect(textOf(result)).toContain('not today')
    expect(existsSync(join(served.root, 'a.txt'))).toBe(false)
  })

  it.each(['decline', 'cancel'] as const)('a form that was answered by %s is no yes', async (action) => {
    const served = await openServed()
    const { call } = await connect(way, served, revision, () => ({ action }))
    const result = await call('write_file', WRITE)
    expect(codeOf(result)).toBe(action === 'decline' ? 'approval_denied' : 'approval_required')
    expect(existsSync(join(served.root, 'a.txt'))).toBe(false)
  })

  it('an answer that was not offered is asked for again, and is no yes', async () => {
    const served = await openServed()
    let asked = 0
    const ask: Ask = () => {
      asked += 1
      return asked === 1
        ? { action: 'accept', content: { answer: 'yes, to everything' } }
        : { action: 'decline' }
    }
    const { call } = await connect(way, served, revision, ask)
    expect(codeOf(await call('write_file', WRITE))).toBe('approval_denied')
    expect(asked).toBe(2)
  })

  it('a client that accepts every form without an answer is told soon that the call waits, and how to answer it', async () => {
    const served = await openServed()
    let asked = 0
    const ask: Ask = () => {
      asked += 1
      return { action: 'accept', content: {} }
    }
    const { call } = await connect(way, served, revision, ask)
    const result = await call('write_file', WRITE)
    const [request] = await served.runtime.pending()
    expect(codeOf(result)).toBe('approval_required')
    expect(textOf(result)).toContain(`tongs approve ${request?.id}`)
    expect(asked).toBe(3)
    expect(existsSync(join(served.root, 'a.txt'))).toBe(false)
  })

  it('without forms it waits: an error with the id, the same while it waits, and its result once it was answered', async () => {
    const served = await openServed()
    const { call } = await connect(way, served, revision)
    const first = await call('write_file', WRITE)
    expect(codeOf(first)).toBe('approval_required')
    const [request] = await served.runtime.pending()
    expect(textOf(first)).toContain(`tongs approve ${request?.id}`)
    const again = await call('write_file', WRITE)
    expect(textOf(again)).toBe(textOf(first))
    expect(resultOf(again)['execution']).toEqual(resultOf(first)['execution'])
    expect((await served.runtime.pending()).length).toBe(1)
    await served.runtime.decide([String(request?.id)], { isApproved: true })
    expect(readFileSync(join(served.root, 'a.txt'), 'utf8')).toBe('one\n')
    const done = await call('write_file', WRITE)
    expect(codeOf(done)).toBe('ok')
    expect(resultOf(done)['execution']).toMatchObject({ id: request?.execution })
    // Its result was given; the same call is a new one from here on.
    const next = await call('write_file', WRITE)
    expect(resultOf(next)['execution']).not.toMatchObject({ id: request?.execution })
  })

  it('what a client reads of a question holds neither its arguments nor those of others', async () => {
    const served = await openServed()
    await served.runtime.run([{ id: '1', name: 'write_file', args: { path: 'p.txt', content: 'x' } }], {
      session: 'of-a-person',
    })
    const { client, call } = await connect(way, served, revision)
    await call('write_file', { path: 'a.txt', content: 'a-word-for-the-person-alone' })
    const [part] = (await client.readResource({ uri: 'tongs://pending' })).contents
    const text = JSON.stringify(part)
    expect(text).toContain('a.txt')
    expect(text).not.toContain('a-word-for-the-person-alone')
    expect(text).not.toContain('p.txt')
    const [log] = (await client.readResource({ uri: 'tongs://session/log' })).contents
    expect(JSON.stringify(log)).not.toContain('a-word-for-the-person-alone')
  })

  it('its resources are the log, the open questions and the head of the audit trail', async () => {
    const served = await openServed()
    const { client, call } = await connect(way, served, revision)
    await call('write_file', WRITE)
    const { resources } = await client.listResources()
    const read = async (uri: string): Promise<string> => {
      const [part] = (await client.readResource({ uri })).contents
      return part !== undefined && 'text' in part ? part.text : ''
    }
    expect(resources.map(({ uri }) => uri)).toEqual([
      'tongs://session/log',
      'tongs://pending',
      'tongs://audit/head',
    ])
    expect(await read('tongs://session/log')).toContain('write_file')
    expect(JSON.parse(await read('tongs://pending'))).toEqual([
      expect.objectContaining({ name: 'write_file', summary: expect.stringContaining('a.txt') }),
    ])
    expect(JSON.parse(await read('tongs://audit/head'))).toMatchObject({ ok: true })
    await expect(read('tongs://nothing')).rejects.toThrow('There is no resource tongs://nothing')
  })
})
