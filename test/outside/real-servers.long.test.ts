import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { errorOf, outputOf } from '../bench-folder.ts'
import { callIn, serverBench } from '../servers/server-bench.ts'
import { outsideFolder } from './install.ts'

/** A reference server as its entry would be: a program that may read its own code, and write where it is told. */
async function entryOf(name: string, args: readonly string[], entry: object = {}): Promise<object> {
  const folder = await outsideFolder()
  const read = [folder, join(TOP, 'test', 'outside', 'package.json'), process.execPath]
  const program = join(folder, '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js')
  return { command: process.execPath, args: [program, ...args], read, ...entry }
}

describe('reference servers from npm behind our gates', () => {
  it('the file system server writes where its entry says and reads nothing else', async () => {
    const place = serverBench({})
    const notes = join(place.top, 'notes')
    const secret = place.put('secret.txt', 'of the workspace')
    mkdirSync(notes)
    const { openTrusted } = serverBench(await entryOf('filesystem', [notes, place.root], { write: [notes] }))
    const runtime = await openTrusted()
    const file = join(notes, 'a.txt')
    outputOf(await callIn(runtime, 's__write_file', { path: file, content: 'hello' }))
    expect(readFileSync(file, 'utf8')).toBe('hello')
    expect((await callIn(runtime, 's__read_text_file', { path: file })).content).toContain('hello')
    // The server itself was told that it may; the sandbox knows better.
    const refused = await callIn(runtime, 's__read_text_file', { path: secret })
    expect(JSON.stringify(refused)).not.toContain('of the workspace')
    expect((await callIn(runtime, 's__read_text_file', { path: '/etc/passwd' })).ok).toBe(false)
  })

  it('the memory server remembers, and a denied call reaches it not at all', async () => {
    const place = serverBench({})
    // It replaces its file, which takes the folder around it.
    const folder = join(place.top, 'memory')
    const file = join(folder, 'memory.json')
    mkdirSync(folder)
    writeFileSync(file, '')
    const entry = await entryOf('memory', [], { write: [folder], env: { MEMORY_FILE_PATH: file } })
    const bench = serverBench(entry)
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote programs'] }]
    const denying = await bench.openTrusted({ approve: () => ['deny'] })
    expect(errorOf(await callIn(denying, 's__create_entities', { entities })).code).toBe('approval_denied')
    expect(readFileSync(file, 'utf8')).toBe('')
    await denying.close()
    const runtime = await bench.openTrusted()
    outputOf(await callIn(runtime, 's__create_entities', { entities }))
    expect(readFileSync(file, 'utf8')).toContain('Ada')
    expect((await callIn(runtime, 's__search_nodes', { query: 'Ada' })).content).toContain('wrote programs')
  })

  it('the everything server answers by its schemas, without our variables, and ends with us', async () => {
    const bench = serverBench(await entryOf('everything', ['stdio']))
    const runtime = await bench.openTrusted()
    const tools = runtime.servers.list()[0]?.tools ?? []
    expect(tools).toContain('s__echo')
    expect((await callIn(runtime, 's__echo', { message: 'hello' })).content).toContain('hello')
    expect((await callIn(runtime, 's__get-sum', { a: 2, b: 3 })).content).toContain('5')
    const structured = await callIn(runtime, 's__get-structured-content', { location: 'New York' })
    expect(outputOf(structured)).toHaveProperty('structured')
    const env = await callIn(runtime, 's__get-env', {})
    expect(JSON.stringify(env)).not.toContain('XDG_STATE_HOME')
    expect((await callIn(runtime, 's__get-tiny-image', {})).content).toContain('left out')
    await runtime.close()
    expect(existsSync(join(bench.stateDir, 'mcp', 's.json'))).toBe(true)
  })
})
